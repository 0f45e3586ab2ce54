"""Finds out the format of a file, and which of its records are histories by themselves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from jsonpath import JSONPath, JSONPathError
from jsonpath import compile as compile_path

from agentlog.domain.errors import InvalidInput
from agentlog.domain.facts import Policy
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.transfer.files.records import SourceRecord, gathered
from agentlog.infrastructure.transfer.template import check_template, named_fields
from agentlog.projections.readers.history import Format
from agentlog.projections.readers.masking import Mask
from agentlog.projections.readers.registry import recognise

_LOOKED_AT = 100
"""Records by which a format is recognised: sessions begin with lines of many kinds."""


class InvalidPath(InvalidInput):
    """The JSONPath does not parse, or leads to nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to read files.

    Without `format` each file's is found out. `records` is a JSONPath (RFC 9535) to the records in
    a file's document, `messages` one to the messages in a record. `thread_id`, `goal` and the
    values of `metadata` are templates over the record. `strict` refuses what a reader does not
    know. `masks` are the secrets that are masked before anything is written.
    """

    format: Format | None = None
    records: str | None = None
    messages: str | None = None
    thread_id: str | None = None
    goal: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    policy: Policy | None = None
    strict: bool = False
    masks: Sequence[Mask] = ()

    def __post_init__(self) -> None:
        """Raise `UnfinishedField` if a template has a field without an end."""
        for template in self._templates:
            check_template(template)

    @property
    def named_fields(self) -> set[str]:
        """The fields of records that templates name."""
        return set[str]().union(*map(named_fields, self._templates))

    @property
    def _templates(self) -> list[str]:
        given = [self.thread_id, self.goal, *self.metadata.values()]
        return [template for template in given if template is not None]


class Documents:
    """Finds the documents of files by a plan; raises `InvalidPath`."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._records = _compile(plan.records)
        self._messages = _compile(plan.messages)

    def of(self, records: Iterator[SourceRecord]) -> tuple[Format | None, Iterator[SourceRecord]]:
        """Return the format of a file's records, and those which are read one by one.

        The format is None where no record is JSON, or has what the path to messages names.

        Raises:
            UnclearFormat: none is recognised, or several are.
        """
        if self._records is not None:
            path = self._records
            records = chain.from_iterable(_inner(path, record) for record in records)
        first = list(islice(records, _LOOKED_AT))
        known = [record.value for record in first if not isinstance(record.value, InvalidInput)]
        records = chain(first, records)
        if not known:
            return self._plan.format, records
        if self._messages is not None:
            return self._plan.format or self._of_messages(first), records
        chosen = self._plan.format or recognise(known)
        if any(map(chosen.is_document, known)):
            return chosen, records
        if chosen.thread_of is None and not any(map(chosen.is_item, known)):
            return chosen, records
        return chosen, _together(chosen, records)

    def value(self, record: SourceRecord) -> JsonValue:
        """Return the value that a record's histories are read from; raises `InvalidInput`."""
        if isinstance(record.value, InvalidInput):
            raise record.value
        if self._messages is None:
            return record.value
        return self._messages.find(record.value)

    def _of_messages(self, records: Sequence[SourceRecord]) -> Format | None:
        for record in records:
            try:
                return recognise([self.value(record)])
            except InvalidInput:  # the record is refused for it later
                continue
        return None


@dataclass(frozen=True, slots=True)
class _Path:
    text: str
    compiled: JSONPath

    def find(self, value: JsonValue) -> list[JsonValue]:
        """Return what the path leads to: the values, or the items of the one array."""
        try:
            matches = self.compiled.findall(value)
        except JSONPathError as error:  # as for `$..x` in what is nested deep
            raise InvalidPath(f"{self.text} does not apply to this record: {error}") from error
        if not matches:
            raise InvalidPath(f"{self.text} leads to nothing in this record")
        return list(matches[0] if len(matches) == 1 and isinstance(matches[0], list) else matches)


def _compile(text: str | None) -> _Path | None:
    if text is None:
        return None
    try:
        path = compile_path(text)
    except JSONPathError as error:
        raise InvalidPath(f"{text!r} is no JSONPath: {error}") from error
    if not isinstance(path, JSONPath):
        raise InvalidPath(f"{text!r}: use a single path")
    return _Path(text, path)


def _inner(path: _Path, record: SourceRecord) -> Iterator[SourceRecord]:
    """Yield the records in a record; itself if it has none."""
    if isinstance(record.value, InvalidInput):
        yield record
        return
    try:
        values = path.find(record.value)
    except InvalidPath as error:
        yield replace(record, value=error)
        return
    for number, value in enumerate(values):
        place, share = f"{record.place}[{number}]", record.size // len(values)
        yield replace(record, place=place, number=number, size=share, value=value)


def _together(chosen: Format, records: Iterator[SourceRecord]) -> Iterator[SourceRecord]:
    """Yield the records of each thread as one; what is not JSON by itself."""
    threads: dict[str | None, list[SourceRecord]] = {}
    key = None
    for record in records:
        if isinstance(record.value, InvalidInput):
            yield record
            continue
        if chosen.thread_of is not None and isinstance(record.value, dict):
            key = chosen.thread_of(record.value) or key
        threads.setdefault(key, []).append(record)
    if None in threads and len(threads) > 1:  # lines before the first that names its thread
        first = next(thread for thread in threads if thread is not None)
        threads[first] = [*threads.pop(None), *threads[first]]
    yield from (gathered(thread, n) for n, thread in enumerate(threads.values()))
