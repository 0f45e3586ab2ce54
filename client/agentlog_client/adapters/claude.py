"""Claude Agent SDK: a session store whose transcripts are threads."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, cast

from claude_agent_sdk import SessionStore, fold_session_summary
from claude_agent_sdk.types import (
    SessionKey,
    SessionListSubkeysKey,
    SessionStoreEntry,
    SessionStoreListEntry,
    SessionSummaryEntry,
)
from typing_extensions import override

from agentlog_client import Client, NotThere
from agentlog_client.adapters.sessions import CLEARED, Batches, aside, start_session
from agentlog_client.identifiers import thread_id
from agentlog_client.models import Appended, Thread
from agentlog_client.operation import metadata_terms

_FORMAT = "claude-code"
_PROJECT, _SESSION, _SUBPATH = "claudeProject", "claudeSession", "claudeSubpath"
_SUMMARY, _DELETED_AT = "claudeSummary", "claudeDeletedAt"
"""Metadata of threads. A session is deleted while its thread stands at the version where it was."""
_BATCH, _PAGE = 500, 200


@dataclass(slots=True)
class _Transcript:
    """A session or sub-agent that this store appends to, after `version` of its thread."""

    thread_id: str
    batches: Batches
    version: int | None = None
    summary: SessionSummaryEntry | None = None
    lock: Lock = field(default_factory=Lock)


class AgentlogSessionStore(SessionStore):
    """Keeps transcripts of Claude Code in agentlog: a thread a session, and one a sub-agent.

    The errors are those of the client; the SDK reports them, and its agent goes on. What was lost
    so, `import_session_to_store` adds from the transcript on the disk.
    """

    def __init__(self, client: Client | None = None) -> None:
        self._client = client or Client()
        self._transcripts: dict[str, _Transcript] = {}

    @override
    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        if entries:
            await aside(self._append, key, entries)

    @override
    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        return await aside(self._load, _thread_of(key)) or None

    @override
    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        threads = await aside(self._threads, {_PROJECT: project_key, _SUBPATH: ""})
        return [
            {"session_id": thread.metadata[_SESSION], "mtime": _changed(thread)}
            for thread in threads
        ]

    @override
    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        threads = await aside(self._threads, {_PROJECT: project_key, _SUBPATH: ""})
        return [
            {"session_id": thread.metadata[_SESSION], "mtime": _changed(thread), "data": data}
            for thread in threads
            if isinstance(data := thread.metadata.get(_SUMMARY), dict)
        ]

    @override
    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        return [thread.metadata[_SUBPATH] for thread in await aside(self._sub_agents, key)]

    @override
    async def delete(self, key: SessionKey) -> None:
        """Clear a session, and its sub-agents' if it is one: the log has all of it still."""
        await aside(self._delete, key)

    def _append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        of_thread = _thread_of(key)
        batches = Batches(self._client, of_thread, _FORMAT)
        transcript = self._transcripts.setdefault(of_thread, _Transcript(of_thread, batches))
        with transcript.lock:
            if transcript.version is None:
                self._start(key, transcript)
            for begin in range(0, len(entries), _BATCH):
                batch = entries[begin : begin + _BATCH]
                items = cast("list[dict[str, Any]]", batch)
                appended = transcript.batches.append(items)
                if not key.get("subpath"):
                    self._summarise(transcript, key, batch, appended)

    def _start(self, key: SessionKey, transcript: _Transcript) -> None:
        subpath = key.get("subpath", "")
        start_session(
            self._client,
            transcript.thread_id,
            parent=_main_thread(key) if subpath else None,
            metadata={
                _PROJECT: key["project_key"],
                _SESSION: key["session_id"],
                _SUBPATH: subpath,
            },
        )
        transcript.version = 0

    def _summarise(
        self,
        transcript: _Transcript,
        key: SessionKey,
        entries: list[SessionStoreEntry],
        appended: Appended,
    ) -> None:
        """Keep the summary of the session in the metadata of its thread.

        It covers the entries of other processes too.
        """
        new = [receipt.version for receipt in appended.messages if not receipt.replayed]
        if not new:
            return
        before, version = transcript.summary, appended.version
        written = None if before is None else before["data"]
        if before is not None and min(new) == (transcript.version or 0) + 1:
            summary = fold_session_summary(before, key, entries)
        else:
            summary = self._whole_summary(transcript, key)
        while summary["data"] != written:
            written = summary["data"]
            annotated = self._client.annotate_thread(transcript.thread_id, {_SUMMARY: written})
            if annotated.version != version + 1:  # another process appended in between
                summary = self._whole_summary(transcript, key)
            version = annotated.version
        transcript.summary, transcript.version = summary, version

    def _whole_summary(self, transcript: _Transcript, key: SessionKey) -> SessionSummaryEntry:
        return fold_session_summary(None, key, self._load(transcript.thread_id))

    def _load(self, of_thread: str) -> list[SessionStoreEntry]:
        try:
            return list(self._client.view(of_thread, "source").items)
        except NotThere:
            return []

    def _threads(self, metadata: dict[str, str]) -> list[Thread]:
        """Return the threads of sessions and sub-agents that are not deleted."""
        threads = self._client.threads(filter=metadata_terms(metadata), limit=_PAGE)
        return [thread for thread in threads if thread.metadata.get(_DELETED_AT) != thread.version]

    def _sub_agents(self, key: SessionListSubkeysKey) -> list[Thread]:
        session = {_PROJECT: key["project_key"], _SESSION: key["session_id"]}
        return [thread for thread in self._threads(session) if thread.metadata[_SUBPATH]]

    def _delete(self, key: SessionKey) -> None:
        deleted = {_thread_of(key)}
        if not key.get("subpath"):
            deleted |= {thread.thread_id for thread in self._sub_agents(key)}
        for of_thread in deleted:
            self._transcripts.pop(of_thread, None)
            try:
                self._client.thread(of_thread)
            except NotThere:
                continue
            version = self._client.append(of_thread, CLEARED).version
            # after another append the thread is not at this version, nor is the session deleted
            facts = {_DELETED_AT: version + 1, _SUMMARY: None}
            self._client.annotate_thread(of_thread, facts)


def _thread_of(key: SessionKey) -> str:
    """Return the thread of a transcript; a sub-agent's is named as its session's lines name it."""
    main, subpath = _main_thread(key), key.get("subpath")
    if not subpath:
        return main
    folder, _, agent = subpath.partition("/agent-")
    named = f"{main}:{agent}"
    if folder == "subagents" and thread_id(named) == named:
        return named
    return thread_id(f"claude/{key['project_key']}/{key['session_id']}/{subpath}")


def _main_thread(key: SessionKey | SessionListSubkeysKey) -> str:
    return thread_id(f"claude/{key['project_key']}/{key['session_id']}")


def _changed(thread: Thread) -> int:
    """Return when a thread changed last, in milliseconds since the epoch."""
    return round(thread.updated_at.timestamp() * 1000)
