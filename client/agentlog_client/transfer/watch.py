"""The command watch, for a service: files are sent as they grow, and only what is new."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from os import SEEK_END
from pathlib import Path
from typing import Any

from agentlog_client.client import Client
from agentlog_client.destination import Destination
from agentlog_client.errors import AgentlogError, InvalidRequest, NotThere
from agentlog_client.exchange import Retries
from agentlog_client.models import RunReport
from agentlog_client.transfer.agents import AGENTS, WatchedAgent
from agentlog_client.transfer.memory import Memory, Sent
from agentlog_client.transfer.screen import Screen
from agentlog_client.transfer.sending import Sender, digest_of
from agentlog_client.transfer.sources import Source, files_in

_WAKE_MS, _PAUSE_MS = 1000, 200
_FAILED_SECONDS = 30.0
_BATCH_FILES, _BATCH_BYTES = 200, 64 * 2**20
_MOST_SENT = 256 * 2**20
"""Bytes that an import keeps on the service before another begins."""
_NO_ROOM = {"imports-too-large", "too-many-files"}


class MissingWatchfiles(AgentlogError):
    """The package that tells of changes is not installed."""

    def __init__(self) -> None:
        super().__init__("this needs more packages: pip install 'agentlog-client[watch]'")


class NoSuchFolder(AgentlogError):
    """There is no folder to watch."""


def watched(name: str, folder: Path | None) -> tuple[WatchedAgent | None, Path]:
    """Return the agent that is named, if one is, and the folder to watch.

    Raises:
        NoSuchFolder: it is not there, or `name` is neither an agent nor a folder.
    """
    agent = AGENTS.get(name)
    if agent is None:
        root = Path(name)
        if folder is not None or not root.is_dir():
            raise NoSuchFolder(f"{name}: no folder, and none of {', '.join(AGENTS)}")
        return None, root
    root = folder or agent.folder()
    if not root.is_dir():
        raise NoSuchFolder(f"{root}: no such folder; name it: agentlog watch {name} FOLDER")
    return agent, root


def watch(  # noqa: PLR0913 - one parameter an option
    name: str,
    folder: Path | None,
    *,
    url: str | None,
    key: str | None,
    format: str | None = None,  # noqa: A002 - its name everywhere
    mask: bool = True,
) -> None:
    """Send the files of an agent, or of a folder, to a service as they grow, until Ctrl-C.

    Raises:
        AgentlogError: the key is refused, there is no such folder, or it is watched already.
    """
    agent, root = watched(name, folder)
    wire = format or (None if agent is None else agent.name)
    order = {"growing": True, "mask": mask, **({} if wire is None else {"format": wire})}
    memory = Memory.of(url=Destination.of(url, key).url, folder=str(root.resolve()), order=order)
    screen = Screen()
    with Client(url, key=key, retries=Retries(attempts=2)) as client:
        sender = Sender(client, screen, patience=None)
        watcher = Watcher(sender, root, order, memory, agent)
        follow(root, watcher.update, screen)


def follow(root: Path, update: Callable[[], bool], screen: Screen) -> None:
    """Call `update` now and after changes below `root`; again after a second where it is False.

    Raises:
        MissingWatchfiles: there is nothing that tells of changes.
    """
    try:
        from watchfiles import watch as changes_in  # noqa: PLC0415 - only where one watches
    except ImportError as error:
        raise MissingWatchfiles from error
    screen.line(f"watching {root}; Ctrl-C ends it")
    is_behind = True
    for changed in changes_in(
        root, debounce=_PAUSE_MS, rust_timeout=_WAKE_MS, yield_on_timeout=True
    ):
        if changed or is_behind:
            is_behind = not update()


def tell(
    screen: Screen, name: str, counts: Mapping[str, int], findings: Iterable[tuple[str, str, str]]
) -> None:
    """Print what came of files, if there is anything to say; a finding is kind, place, reason."""
    labels = {"appended": "events", "aside": "kept aside", "masked": "secrets masked"}
    texts = [f"{counts[kind]} {label}" for kind, label in labels.items() if counts.get(kind)]
    if texts:
        screen.line(f"{name}: {', '.join(texts)}")
    for kind, place, reason in findings:
        if kind in {"refused", "rewritten"}:
            screen.line(f"{place}: {reason}")


class Watcher:
    """Sends what has changed of one folder."""

    def __init__(
        self,
        sender: Sender,
        root: Path,
        order: Mapping[str, Any],
        memory: Memory,
        agent: WatchedAgent | None,
    ) -> None:
        self._sender = sender
        self._root = root.resolve()  # the import names it, however it is named next time
        self._order = order
        self._memory = memory
        self._agent = agent
        self._suffixes: tuple[str, ...] = ()
        self._not_before = 0.0

    def update(self) -> bool:
        """Send what has changed, and import it; return whether nothing is left to be sent."""
        if time.monotonic() < self._not_before:
            return False
        if not self._suffixes:
            self._begin_unless_begun()
        try:
            changed = [
                source
                for source in self._sources()
                if (sent := self._memory.files.get(source.name)) is None
                or sent.stamp != source.stamp
            ]
        except OSError as error:
            return self._wait(str(error.strerror))
        return all(self._bring(batch) for batch in _batches(changed))

    def _sources(self) -> Iterator[Source]:
        """Yield what is watched: the sessions of an agent, or all files with histories."""
        if self._agent is None:
            return files_in(self._root, lambda path: path.name.endswith(self._suffixes))
        return self._agent.sources_in(self._root)

    def _begin_unless_begun(self) -> str:
        """Return the id of the import that is under way."""
        sender, memory = self._sender, self._memory
        if memory.import_id is not None:
            with suppress(NotThere):
                upload = sender.insist(lambda: sender.client.get_import(str(memory.import_id)))
                self._suffixes = tuple(upload.suffixes)
                return upload.id
        memory.leave_import()
        paths = [f"{str(self._root).rstrip('/')}/"]
        upload = sender.insist(lambda: sender.client.begin_import(paths, **self._order))
        self._suffixes, memory.import_id = tuple(upload.suffixes), upload.id
        memory.keep()
        return upload.id

    def _bring(self, batch: Sequence[Source]) -> bool:
        """Send a batch and import it; return whether that is done."""
        import_id = self._memory.import_id or self._begin_unless_begun()
        try:
            taken = {source.name: self._send(import_id, source) for source in batch}
            report = self._sender.run(import_id)
        except NotThere:  # it was removed meanwhile
            self._memory.leave_import()
            return False
        except InvalidRequest as error:
            if error.type not in _NO_ROOM:
                raise
            self._begin_anew(import_id)
            return self._wait(str(error))
        self._tell(report, batch)
        if report.failure is not None:
            return self._wait(report.failure)
        self._memory.files.update({name: sent for name, sent in taken.items() if sent is not None})
        if self._memory.sent_bytes > _MOST_SENT:
            self._begin_anew(import_id)
        self._memory.keep()
        return True

    def _send(self, import_id: str, source: Source) -> Sent | None:
        """Send what is new of a file; return it as it is then, None where it is gone."""
        before = self._memory.files.get(source.name)
        name = f"{str(self._root).rstrip('/')}/{source.name}"
        size, _ = source.stamp
        try:
            with source.open() as file:
                if self._agent is not None and self._agent.sessions is not None:
                    size = file.seek(0, SEEK_END)
                offset = 0 if before is None else before.sent
                if offset > size or (before and digest_of(file, offset) != before.sha256):
                    offset = 0
                if offset < size or not offset:
                    self._sender.send(import_id, name, file, size=size, offset=offset)
                return Sent(*source.stamp, size, digest_of(file, size))
        except OSError as error:
            self._sender.screen.line(f"{name}: cannot be read: {error.strerror}")
        except InvalidRequest as error:
            if error.type in _NO_ROOM:
                raise
            self._sender.screen.line(str(error))
            return Sent(*source.stamp, 0, "")
        return None

    def _begin_anew(self, import_id: str) -> None:
        with suppress(AgentlogError):
            self._sender.client.discard_import(import_id)
        self._memory.leave_import()

    def _wait(self, reason: str) -> bool:
        self._sender.screen.line(f"{reason}; trying again in {_FAILED_SECONDS:.0f} s")
        self._not_before = time.monotonic() + _FAILED_SECONDS
        return False

    def _tell(self, report: RunReport, batch: Sequence[Source]) -> None:
        name = batch[0].name.rpartition("/")[2] if len(batch) == 1 else f"{len(batch)} files"
        findings = ((finding.kind, finding.place, finding.reason) for finding in report.findings)
        tell(self._sender.screen, name, {**report.counts, "appended": report.appended}, findings)


def _batches(sources: Sequence[Source]) -> Iterator[Sequence[Source]]:
    """Yield files in batches that are imported together."""
    batch: list[Source] = []
    size = 0
    for source in sources:
        batch.append(source)
        size += source.stamp[0]
        if len(batch) >= _BATCH_FILES or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
