"""Files that make one document: OpenHands' and Cline's folders, and inspect_ai's archives."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from operator import itemgetter
from pathlib import PurePosixPath

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse, print_bytes
from agentlog.infrastructure.transfer.files.source_file import SourceFile, UnreadableSource
from agentlog.projections.readers.agents import cline
from agentlog.projections.readers.agents.inspect_log import divided

_NUMBERED = re.compile(r"event-(\d{5,})-[0-9A-Fa-f-]{8,}\.json")
_NUMBERED_0 = re.compile(r"events/(\d+)\.json")
_CACHE = "event_cache"
_BEFORE = ("base_state.json", "metadata.json")
"""OpenHands writes a conversation as a folder: one of these files, and `events` with those
numbered: `event-00000-ID.json`, or `0.json` before version 1, which copies pages to a cache."""

_TASK = tuple(f"{name}.json" for name in (cline.HISTORY, cline.PAGE))
"""The files of Cline's task, of which only both have all."""

_HEADERS, _SAMPLES = ("header.json", "_journal/start.json"), "samples"
_REDUCTIONS = "reductions.json"
"""Members of inspect_ai's archives (`.eval`); a run that did not end has only the second header."""


def joined(files: Sequence[SourceFile]) -> Iterator[SourceFile]:
    """Yield files; of those that make a document together, the document."""
    by_path = {file.path: file for file in files}
    numbered: dict[PurePosixPath, list[tuple[int, SourceFile]]] = {}
    taken: set[PurePosixPath] = set()
    headers_of: dict[PurePosixPath, Callable[[], bytes]] = {}
    for file in files:
        folder = file.path.parent
        if event := _number(file):
            numbered.setdefault(folder, []).append((int(event[1]), file))
        elif folder.name == _SAMPLES and folder.parent.suffix == ".eval":
            headers = (by_path.get(folder.parent / name) for name in _HEADERS)
            if header := next(filter(None, headers), None):
                taken.add(file.path)
                if folder.parent in headers_of:
                    yield _log(headers_of[folder.parent], file)
                    continue
                taken.update(_of_all_samples(folder.parent, by_path))
                headers_of[folder.parent] = cache(partial(_of_each, header))
                reductions = by_path.get(folder.parent / _REDUCTIONS)
                yield _log(header.content, file, reductions)
        elif file.path.name == _TASK[0] and (page := by_path.get(folder / _TASK[1])):
            taken |= {file.path, page.path}
            yield _task(file, page)
    for folder, events in numbered.items():
        before = [by_path[path] for name in _BEFORE if (path := folder.parent / name) in by_path]
        lines = [*before[:1], *(line for _, line in sorted(events, key=itemgetter(0)))]
        taken |= {file.path for file in lines}
        taken |= {path for path in by_path if path.parent == folder.parent / _CACHE}
        yield _as_lines(folder, lines)
    yield from (file for file in files if file.path not in taken)


def _number(file: SourceFile) -> re.Match[str] | None:
    """Return the number in the name of an event's file."""
    within = "/".join(PurePosixPath(file.place).parts[-2:])
    return _NUMBERED.fullmatch(file.path.name) or _NUMBERED_0.fullmatch(within)


def _as_lines(folder: PurePosixPath, files: Sequence[SourceFile]) -> SourceFile:
    """Return a file whose lines are those files."""
    place = PurePosixPath(files[-1].place).parent
    path = folder.parent if folder.parent.name else PurePosixPath(place.parent.name)

    def read() -> bytes:
        # a newline in JSON is only white space
        return b"\n".join(file.content().replace(b"\n", b" ") for file in files)

    size = sum(file.size for file in files)
    return SourceFile(str(place), path, size, read, [file.place for file in files])


def _task(history: SourceFile, page: SourceFile) -> SourceFile:
    """Return the files of a task as an object with a field for each."""
    place = PurePosixPath(history.place).parent
    path = history.path.parent if history.path.parent.name else PurePosixPath(place.name)

    def read() -> bytes:
        files = zip((cline.HISTORY, cline.PAGE), (history, page), strict=True)
        fields = (b'"%s": %s' % (name.encode(), file.content()) for name, file in files)
        return b"{" + b", ".join(fields) + b"}"

    return SourceFile(str(place), path, history.size + page.size, read)


def _of_all_samples(
    log: PurePosixPath, by_path: dict[PurePosixPath, SourceFile]
) -> Iterator[PurePosixPath]:
    """Yield the members of an archive that are no sample: read with the first, or its summaries."""
    return (
        inner for inner in by_path if inner.is_relative_to(log) and inner.parent.name != _SAMPLES
    )


def _of_each(header: SourceFile) -> bytes:
    """Return a log's header without what stands with the first sample only."""
    content = header.content()
    try:
        value = parse(content)
    except InvalidJson:
        return content
    return print_bytes(divided(value)[0]) if isinstance(value, dict) else content


def _log(
    header: Callable[[], bytes], sample: SourceFile, reductions: SourceFile | None = None
) -> SourceFile:
    """Return the log as if it had one sample only, in the form of inspect_ai's JSON files."""

    def read() -> bytes:
        head = header().rstrip()
        if not head.endswith(b"}"):
            raise UnreadableSource("the log's header is no JSON object")
        if reductions is not None:
            head = head[:-1] + b', "reductions": ' + reductions.content() + b"}"
        return head[:-1] + b', "samples": [' + sample.content() + b"]}"

    return SourceFile(sample.place, sample.path, sample.size, read)
