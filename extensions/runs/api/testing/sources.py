"""What recorded runs are read from: files, or threads of the log."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from agentlog.api.cli.session import service_in
from agentlog.domain.errors import AgentlogError, InvalidInput, InvalidJson, NotThere
from agentlog.domain.events import Event
from agentlog.domain.identifiers import is_thread_id
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import objects_of, text_at
from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import (
    NotRecorded,
    RecordedThread,
)
from agentlog.extensions.runs.projections.tapes.cassette import (
    InvalidCassette,
    RecordedRun,
    read_cassette,
)
from agentlog.extensions.runs.projections.tapes.recorded_tools import (
    RecordedCall,
    appends_of,
    calls_of_events,
    calls_of_run,
)
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.draft import Draft, sample_event

Source = str | Path
"""The path of a file, or the id of a thread; a file of that name comes first."""

_SUFFIXES = frozenset({".cassette", ".json", ".jsonl"})
"""How names end that are no threads'."""


class InvalidSource(InvalidInput):
    """A file holds no recorded run."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


class MissingSource(NotThere):
    """There is no file and no thread of a name."""


def run_of(source: Source, folder: Path) -> RecordedRun:
    """Return the recorded run of a cassette in a folder, or of a thread; raises `AgentlogError`."""
    path = _file(folder / source, source)
    if path is not None:
        return _cassette(path)
    with _threads(source) as threads:
        return RecordedThread(threads, str(source)).run()


def calls_of(source: Source) -> list[RecordedCall]:
    """Return the calls of a cassette's tools, or of any thread's; raises `AgentlogError`."""
    path = _file(Path(source), source)
    if path is not None:
        return calls_of_run(_cassette(path))
    with _threads(source) as threads:
        try:
            return calls_of_run(RecordedThread(threads, str(source)).run())
        except NotRecorded:
            events = threads.messages(str(source))
            return calls_of_events(events)


def histories_of(source: Source) -> Mapping[str, Sequence[Event]]:
    """Return the events of a thread, or those of each thread in a file; raises `AgentlogError`.

    A file is what `agentlog export threads` writes, or a cassette.
    """
    path = _file(Path(source), source)
    if path is None:
        with _threads(source) as threads:
            return {str(source): threads.messages(str(source))}
    records = _records(path)
    drafts: dict[str, list[Draft]] = {}
    if any("cassette" in record for record in records):
        for append in appends_of(_cassette(path)):
            drafts.setdefault(append.thread_id, []).extend(append.drafts)
    else:
        for record in records:
            drafts[text_at(record, "threadId") or ""] = objects_of(record.get("messages"))
    if not any(drafts.values()):
        raise InvalidSource(path, "neither `agentlog export threads` nor `cassette` wrote it")
    try:  # versions as in the log, where the first event is the thread's start
        return {
            thread_id: [sample_event(draft, version) for version, draft in enumerate(own, 2)]
            for thread_id, own in drafts.items()
        }
    except InvalidInput as error:
        raise InvalidSource(path, str(error)) from error


def _file(path: Path, source: Source) -> Path | None:
    """Return the path if a file is meant; None where a thread is.

    Raises:
        MissingSource: what is named can only be a file, and is not there.
    """
    if path.is_file():
        return path
    if isinstance(source, Path) or path.suffix in _SUFFIXES or not is_thread_id(source):
        raise MissingSource(f"there is no file {path.absolute()}")
    return None


def _cassette(path: Path) -> RecordedRun:
    try:
        with path.open("rb") as file:
            return read_cassette(file)
    except InvalidCassette as error:
        raise InvalidSource(path, str(error)) from error


def _records(path: Path) -> list[Draft]:
    text = path.read_bytes()
    try:
        return objects_of([parse(text)])
    except InvalidJson:
        pass
    try:
        return objects_of([parse(line) for line in text.splitlines()])
    except InvalidJson as error:
        raise InvalidSource(path, str(error)) from error


@contextmanager
def _threads(source: Source) -> Iterator[Threads]:
    """Yield the threads of the settings' database.

    Raises:
        MissingSource: for any reason, as there is no file of this name either.
    """
    try:
        with service_in(None) as service:
            yield service.threads
    except AgentlogError as error:
        raise MissingSource(f"there is no file {source}; as a thread: {error}") from error
