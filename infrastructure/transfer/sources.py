"""Finds records in files, folders or standard input."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from domain.errors import InvalidInput, InvalidJson
from domain.json.text import JsonValue, parse, replace_lone_surrogates

SUFFIXES = (".json", ".jsonl", ".ndjson")
STANDARD_INPUT = Path("-")


class UnreadableSource(InvalidInput):
    """A file or folder that holds no records."""


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """One record of a file.

    `place` says where it is (`runs.jsonl:12`), `size` how many bytes of the file it takes (about),
    `mended` how many lone surrogates were replaced in it by U+FFFD (those of a whole array in its
    first record). `value` is the error itself if the text is not JSON.
    """

    place: str
    stem: str
    number: int
    size: int
    value: JsonValue | InvalidInput
    mended: int = 0


def find_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that `paths` name, folders searched recursively, in order of names.

    Raises:
        UnreadableSource: a path does not exist, or a folder has no file to import.
    """
    found: list[Path] = []
    for path in paths:
        if path != STANDARD_INPUT and path.is_dir():
            inside = sorted(each for each in path.rglob("*") if _is_source(each))
            if not inside:
                raise UnreadableSource(f"{path}: no file in it ends in {', '.join(SUFFIXES)}")
            found += inside
        elif path == STANDARD_INPUT or path.exists():  # a pipe is no file, but can be read as one
            found.append(path)
        else:
            raise UnreadableSource(f"{path}: no such file or folder")
    return found


def read_records(path: Path) -> Iterator[SourceRecord]:
    """Yield the records of a file: the lines of JSON lines, else the items of a JSON array.

    A JSON object is one record. JSON lines are recognised by the file's name, or by a first line
    that is a JSON value by itself.
    """
    try:
        data = sys.stdin.buffer.read() if path == STANDARD_INPUT else path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        yield SourceRecord(
            str(path), path.stem, 0, 0, UnreadableSource(f"cannot be read: {reason}")
        )
        return
    if path.suffix in {".jsonl", ".ndjson"} or _has_lines(data):
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip():
                yield _record(f"{path}:{number}", path.stem, number, line)
        return
    whole = _record(str(path), path.stem, 0, data)
    if not isinstance(whole.value, list):
        yield whole
        return
    share = len(data) // max(1, len(whole.value))
    for number, value in enumerate(whole.value):
        mended = 0 if number else whole.mended  # counted once for the whole file
        yield SourceRecord(f"{path}[{number}]", path.stem, number, share, value, mended)


def _is_source(path: Path) -> bool:
    return path.suffix in SUFFIXES and path.is_file()


def _has_lines(data: bytes) -> bool:
    """Return whether the first line is a JSON value by itself, with more to come."""
    text = data.strip()
    end = text.find(b"\n")  # `partition` would copy all the rest
    if end < 0:
        return False
    try:
        json.loads(text[:end])
    except (ValueError, RecursionError):
        return False
    return True


def _record(place: str, stem: str, number: int, data: bytes) -> SourceRecord:
    try:
        return SourceRecord(place, stem, number, len(data), parse(data))
    except InvalidJson as error:
        try:
            value, mended = replace_lone_surrogates(data.decode("utf-8-sig"))
        except (UnicodeDecodeError, InvalidJson):
            return SourceRecord(place, stem, number, len(data), error)
        if not mended:
            return SourceRecord(place, stem, number, len(data), error)
        return SourceRecord(place, stem, number, len(data), value, mended)
