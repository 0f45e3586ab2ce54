"""One run of an import over the files that have come, and its report as JSON."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.infrastructure.transfer.files.source_file import SourceFile, UnreadableSource
from agentlog.infrastructure.transfer.files.sources import NamedPath, Sources, find_named_sources
from agentlog.infrastructure.transfer.report import ImportReport, closing_lines
from agentlog.infrastructure.transfer.uploads.order import Order

_SHOWN = 1000
_INTERRUPTED = "interrupted: what is counted is written; run it again to go on"


@dataclass(slots=True)
class Run:
    """A run that waits or runs: `done` of `total` bytes are imported.

    `passed_over` are files that were not sent, and why; `by` is who has it run.
    """

    number: int
    is_dry: bool
    passed_over: Mapping[str, str]
    by: str | None
    state: Literal["waiting", "running"] = "waiting"
    done: int = 0
    total: int = 0
    is_erased: bool = False
    """Whether a thread of the import was erased meanwhile: what was sent goes at its end."""

    def advance(self, size: int) -> None:
        """Count bytes that are imported."""
        self.done += size


def sources_of(order: Order, files: Path, run: Run, *, most_bytes: int) -> Sources:
    """Return what has come of an import's paths, each file bounded.

    Raises:
        UnreadableSource: nothing has come of a path that does not grow, or no file to import.
    """
    kept = [files / str(number) for number in range(len(order.paths))]
    named = [
        NamedPath(path if name.endswith("/") else _only_file(path), name.rstrip("/") or "/")
        for path, name in zip(kept, order.paths, strict=True)
        if path.exists() or not order.is_growing
    ]
    sources = find_named_sources(named, most_bytes=most_bytes)
    run.total = sum(file.size for file in sources.files)
    return Sources(
        [bounded(file, most_bytes=most_bytes) for file in sources.files],
        {**run.passed_over, **sources.passed_over},
    )


def shown(
    report: ImportReport, run: Run, *, import_id: str, hidden: int, failure: str | None
) -> JsonObject:
    """Return the report of a run, with the first of its findings; `failure` is what ended it."""
    findings: list[JsonValue] = [finding.to_json() for finding in report.findings[:_SHOWN]]
    lines = [*report.lines()]
    if failure is None:
        made = None if run.is_dry else import_id
        lines += closing_lines(report, made, hidden=hidden)
    else:
        lines.append(_INTERRUPTED)
    return {
        "run": run.number,
        "dryRun": run.is_dry,
        "failure": failure,
        "threads": report.threads,
        "threadIds": [*sorted(report.thread_ids)[:_SHOWN]],
        "appended": report.appended,
        "replayed": report.replayed,
        "hidden": hidden,
        "formats": [
            {"name": chosen.name, "title": chosen.title, "unit": chosen.unit, "files": files}
            for chosen, files in report.formats.items()
        ],
        "kept": {**report.kept},
        "counts": {**Counter(finding.kind for finding in report.findings)},
        "findings": findings,
        "text": "\n".join(lines),
    }


def _only_file(folder: Path) -> Path:
    """Return the file in the folder of a path that is no folder."""
    return next(iter(folder.iterdir()), folder) if folder.is_dir() else folder


_PIECE = 2**20
_STRING = re.compile(rb'"(?:[^"\\\n]++|\\[^\n])*+\\?(?:"|(?=\n)|\Z)')
_TEXT = bytes(set(range(256)) - set(b"[]{}:,\n"))
_NO_SIGNS = bytes(set(_TEXT) - set(b'"'))
_MOST_PARTS = 16_000_000
_PARTS_OF_A_LINE = 8


def bounded(file: SourceFile, *, most_bytes: int) -> SourceFile:
    """Return a file whose content is refused where it is larger, or has more parts, than read."""
    return replace(file, content=_bound(file.content, most_bytes))


def _bound(content: Callable[[], bytes], most_bytes: int) -> Callable[[], bytes]:
    def read() -> bytes:
        data = content()
        if len(data) > most_bytes:
            raise UnreadableSource(f"it is larger than {most_bytes:,} bytes: split it")
        if _most_parts(data) > _MOST_PARTS and _parts(data) > _MOST_PARTS:
            raise UnreadableSource(
                f"it has more than {_MOST_PARTS:,} brackets, commas and lines: split it"
            )
        return data

    return read


def _most_parts(data: bytes) -> int:
    """Return how many values there are at most: signs in strings count, which is quicker."""
    parts = 0
    for begin in range(0, len(data), _PIECE):  # in pieces: other threads go on meanwhile
        signs = data[begin : begin + _PIECE].translate(None, _NO_SIGNS)
        parts += len(signs) + signs.count(b"\n") * (_PARTS_OF_A_LINE - 1)
    return parts


def _parts(data: bytes) -> int:
    """Return about how many values there are, a line counted as several; or that there are many.

    Signs in strings do not count. A string ends with its line at the latest.
    """
    parts, begin, is_in_string = 0, 0, False
    while begin < len(data):  # in pieces: other threads go on meanwhile
        end = data.rfind(b"\n", begin, begin + _PIECE) + 1
        ends_line = end > 0
        if not ends_line:
            end = begin + _PIECE
            while data[end - 1 : end] == b"\\":  # with what it escapes
                end += 1
        piece = b'"' + data[begin:end] if is_in_string else data[begin:end]
        begin = end
        quotes = piece.replace(rb"\\", b"").replace(rb"\"", b"").count(b'"')
        is_in_string = not ends_line and quotes % 2 == 1
        text, strings = _STRING.subn(b"", piece)
        signs = text.translate(None, _TEXT)
        parts += strings + len(signs) + signs.count(b"\n") * (_PARTS_OF_A_LINE - 1)
        if parts > _MOST_PARTS:
            break
    return parts
