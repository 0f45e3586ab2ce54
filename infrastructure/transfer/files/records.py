"""The records of a file: lines of JSON, the items of a JSON array, a JSON object, or a text."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from agentlog.domain.errors import InvalidInput, InvalidJson
from agentlog.domain.json.text import parse, parse_mended
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.transfer.files.source_file import SourceFile
from agentlog.projections.readers.registry import suffixes_of

_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_MARK = b"\xef\xbb\xbf"
"""UTF-8's byte order mark."""


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """One record of a file.

    `place` says where it is (`runs.jsonl:12`), `number` its line or index, 0 for a whole file,
    `size` how many bytes of the file it takes (about), `mended` what in it is no JSON, and how
    often (of a whole array in its first record). `value` is the error itself if the text cannot be
    read.

    Where the records of a file were gathered into one, `value` has all, `places` those of each.
    `beside` is what its document has beside the records in it; of several the first has it.
    """

    file: SourceFile
    place: str
    number: int
    size: int
    value: JsonValue | InvalidInput
    mended: Counter[str] = field(default_factory=Counter)
    places: Sequence[str] = ()
    beside: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def json(self) -> JsonValue:
        """The value of a record that can be read."""
        return None if isinstance(self.value, InvalidInput) else self.value


def read_records(file: SourceFile) -> Iterator[SourceRecord]:
    """Yield the records of a file; what cannot be read is a record that says so.

    JSON lines are recognised by the file's name, or by a first line that is a JSON value by itself.
    They and the items of an array are parsed one by one: a large file takes little more memory
    than its bytes.
    """
    try:
        data = file.content().removeprefix(_MARK)
    except InvalidInput as error:
        yield SourceRecord(file, file.place, 0, file.size, error)
        return
    if file.path.name.endswith(_suffixes_of_texts()):
        yield _text(file, data)
        return
    if file.lines or file.path.suffix in {".jsonl", ".ndjson"} or _has_lines(data):
        for number, line in enumerate(_lines(data), 1):
            if line.strip():
                place = file.lines[number - 1] if file.lines else f"{file.place}:{number}"
                yield _record(file, place, number, line)
        return
    try:
        items = _ITEMS.decode(data)
    except (msgspec.DecodeError, RecursionError):  # no array, or one that is off
        yield from _whole(file, data)
        return
    for number, item in enumerate(items):
        yield _record(file, f"{file.place}[{number}]", number, bytes(item))


def _suffixes_of_texts() -> tuple[str, ...]:
    """Return the last suffixes of names of texts: a text that is named need not have more."""
    return tuple(f".{suffix.rpartition('.')[2]}" for suffix in suffixes_of("text"))


def _text(file: SourceFile, data: bytes) -> SourceRecord:
    """Return a file that is a text by itself, as a JSON string."""
    try:
        value: JsonValue | InvalidInput = data.decode()
    except UnicodeDecodeError as error:
        value = InvalidJson(f"no text in UTF-8: {error}")
    return SourceRecord(file, file.place, 0, len(data), value)


def _whole(file: SourceFile, data: bytes) -> Iterator[SourceRecord]:
    """Yield what is read at once: an object, what is no JSON, or an array to mend."""
    if not data.strip():
        error = InvalidJson("it is empty: there is no JSON in it")
        yield SourceRecord(file, file.place, 0, len(data), error)
        return
    whole = _record(file, file.place, 0, data)
    if not isinstance(whole.value, list):
        yield whole
        return
    share = len(data) // max(1, len(whole.value))
    for number, value in enumerate(whole.value):
        mended = Counter[str]() if number else whole.mended  # counted once for the whole file
        yield SourceRecord(file, f"{file.place}[{number}]", number, share, value, mended)


def gathered(records: Sequence[SourceRecord], number: int = 0) -> SourceRecord:
    """Return records of one file, none of them an error, as one that has the values of all."""
    first = records[0]
    return SourceRecord(
        file=first.file,
        place=first.file.place,
        number=number,
        size=sum(record.size for record in records),
        value=[record.json for record in records],
        mended=sum((record.mended for record in records), Counter()),
        places=[record.place for record in records],
        beside=first.beside,
    )


def _lines(data: bytes) -> Iterator[bytes]:
    start = 0
    while (end := data.find(b"\n", start)) >= 0:  # `split` would copy all at once
        yield data[start:end]
        start = end + 1
    yield data[start:]


def _has_lines(data: bytes) -> bool:
    """Return whether the first line is a JSON value by itself, with more to come."""
    lines = (line for line in _lines(data) if line.strip())
    first = next(lines, b"")
    if not first or next(lines, None) is None:
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _record(file: SourceFile, place: str, number: int, data: bytes) -> SourceRecord:
    try:
        return SourceRecord(file, place, number, len(data), parse(data))
    except InvalidJson as error:
        try:
            value, mended = parse_mended(data.decode("utf-8-sig"))
        except (UnicodeDecodeError, InvalidJson):
            return SourceRecord(file, place, number, len(data), error)
        if not mended:
            return SourceRecord(file, place, number, len(data), error)
        return SourceRecord(file, place, number, len(data), value, mended)
