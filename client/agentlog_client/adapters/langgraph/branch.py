"""A branch: one line of a graph's checkpoints, as a thread of the log has it.

It is a fold of the thread's events. Entries of the saver are messages of types of its own: a
checkpoint with the values that changed, the writes of a task, the deletion of checkpoints. Values
name messages of the thread, which stand before them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import writes_sort_key
from langgraph.checkpoint.serde.base import SerializerProtocol

from agentlog_client.adapters.langchain.messages import Draft, class_of
from agentlog_client.adapters.langgraph.cut import RESIDUE, Cut, restored
from agentlog_client.adapters.langgraph.values import decoded
from agentlog_client.errors import AgentlogError
from agentlog_client.identifiers import derived_id
from agentlog_client.operation import Json

CHECKPOINT, WRITES, DELETED = "langgraph.checkpoint", "langgraph.writes", "langgraph.deleted"

Ref = str | list[str]
"""A message of the thread by its id; a list has the id that LangChain gave it later too."""
Version = str | int | float


class UnknownMessage(AgentlogError):
    """A checkpoint names a message that was not read, or that the log lost."""

    def __init__(self, thread_id: str, message_id: str) -> None:
        super().__init__(f"thread {thread_id!r}: no message {message_id!r}; audit the thread")
        self.thread_id, self.message_id = thread_id, message_id


class Entry(NamedTuple):
    """An event of the thread, as far as the saver reads it."""

    version: int
    message: Mapping[str, Json]
    metadata: Mapping[str, Json]
    is_copy: bool = False


class Stored(NamedTuple):
    """A checkpoint as it was stored; its values are those of its channels' versions."""

    id: str
    parent: str | None
    version: int
    is_copy: bool
    body: Json
    metadata: Json
    channel_versions: Mapping[str, Version]
    versions_seen: Mapping[str, Mapping[str, Version]]


class Write(NamedTuple):
    """What a task wrote to a channel."""

    path: str
    task: str
    place: int
    channel: str
    value: Json


@dataclass(slots=True)
class Branch:
    """What a thread holds; `version` is how far it was read."""

    thread_id: str
    namespace: str
    around: Callable[[str], Cut | None] = lambda _: None
    """Returns a message of a graph around: those of a subgraph begin with them."""
    beside: Callable[[str], Cut | None] = lambda _: None
    """Returns a message of another branch: the input of a checkpoint stands after it."""
    version: int = 0
    checkpoints: dict[str, Stored] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    writes: dict[str, dict[tuple[str, int], Write]] = field(default_factory=dict)
    values: dict[tuple[str, Version], Json] = field(default_factory=dict)
    tip: str | None = None
    messages: dict[str, Cut] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    """Ids that messages would have by the ids that LangChain gave them later."""
    unclaimed: dict[str, dict[str, str]] = field(default_factory=dict)
    """Messages without an id of LangChain's, by digest: each with what has named it so far."""
    calls: list[Json] = field(default_factory=list)
    """The calls of the last message that has any."""
    waiting: list[str] = field(default_factory=list)
    """Ids of calls whose approval was asked for and not answered."""
    _parts: dict[str, Draft] = field(default_factory=dict)
    """Kernel messages whose main one is still to come."""
    _awaited: set[str] = field(default_factory=set)
    """Messages that a checkpoint's input names, and that come after it."""

    def apply(self, entries: Iterator[Entry] | Sequence[Entry]) -> None:
        """Read on; entries that were read already are left out."""
        for entry in entries:
            if entry.version <= self.version:
                continue
            self.version = entry.version
            match entry.message:
                case {"type": "langgraph.checkpoint", "payload": {"id": _} as payload}:
                    self._store(entry, payload)
                case {"type": "langgraph.writes", "payload": {"writes": _} as payload}:
                    self._write(payload)
                case {"type": "langgraph.deleted", "payload": {"checkpoints": checkpoints}}:
                    self.deleted |= set(self.checkpoints if checkpoints is None else checkpoints)
                case _:
                    self._say(entry)

    def _store(self, entry: Entry, payload: Mapping[str, Json]) -> None:
        since = payload.get("since", payload["parent"])
        before = self.checkpoints.get(since) if since else None
        if since and before is None:
            return  # that was erased, and so this cannot be told
        stored = Stored(
            payload["id"],
            payload["parent"],
            entry.version,
            entry.is_copy,
            payload["checkpoint"],
            payload["metadata"],
            _changed(before.channel_versions if before else {}, payload["channelVersions"]),
            _changed(before.versions_seen if before else {}, payload["versionsSeen"]),
        )
        for channel, form in payload["values"].items():
            self.values[channel, stored.channel_versions[channel]] = self._whole(channel, form)
            self._name(form, "values")
        self.checkpoints[stored.id] = stored
        self.deleted.discard(stored.id)
        self.tip = stored.id

    def _write(self, payload: Mapping[str, Json]) -> None:
        kept = self.writes.setdefault(payload["checkpoint"], {})
        path, task = payload["path"], payload["task"]
        for place, channel, form in payload["writes"]:
            self._name(form, "writes")
            if place < 0 or (task, place) not in kept:  # those of special channels are overwritten
                kept[task, place] = Write(path, task, place, channel, form)

    def _say(self, entry: Entry) -> None:
        draft = {
            key: value for key, value in entry.message.items() if key not in {"id", "timestamp"}
        }
        message_id, residue = entry.message.get("id", ""), entry.metadata.get(RESIDUE)
        match draft:
            case {"type": "tool_calls", "calls": calls}:
                self.calls = calls
            case {"type": "approval_request", "callId": call_id}:
                self.waiting.append(call_id)
            case {"type": "approval_response", "callId": call_id} if call_id in self.waiting:
                self.waiting.remove(call_id)
            case _:
                pass
        if not isinstance(residue, dict):
            if "responseId" in entry.metadata:
                self._parts[message_id] = draft
            if class_of(draft):  # perhaps one whose residue was erased
                self.messages[message_id] = Cut((draft,), {})
            return
        parts = (derived_id(message_id, n) for n in range(residue.get("parts", 0)))
        drafts = [self._parts.pop(part) for part in parts if part in self._parts]
        self.messages[message_id] = Cut((*drafts, draft), residue)
        if "digest" in residue:
            by = "values" if message_id in self._awaited else ""
            self.unclaimed.setdefault(residue["digest"], {})[message_id] = by

    def _name(self, form: Json, by: str) -> None:
        """Note that a value names messages: one without an id is claimed, or may be yet."""
        for ref in refs_in(form):
            message_id, *given = [ref] if isinstance(ref, str) else ref
            if message_id not in self.messages:
                self._awaited.add(message_id)
            digest = self.digest(message_id)
            named = self.unclaimed.get(digest or "", {})
            if digest is None or message_id not in named:
                continue
            if given:
                self.aliases[derived_id(given[0], digest)] = message_id
            if given or (by == "values" and named[message_id] == "writes"):
                del named[message_id]
            else:
                named[message_id] = by

    def _whole(self, channel: str, form: Json) -> Json:
        """Return the form of a list of messages with those that another begins with."""
        match form:
            case {"messages": refs, "after": [version, count]}:
                return {"messages": [*self.values[channel, version]["messages"][:count], *refs]}
            case _:
                return form

    def has(self, message_id: str) -> bool:
        """Return whether the thread has a message, or a thread around it."""
        return message_id in self.messages or self.around(message_id) is not None

    def digest(self, message_id: str) -> str | None:
        """Return the digest of a message of the thread that LangChain gave no id."""
        pieces = self.messages.get(message_id)
        digest = pieces and pieces.residue.get("digest")
        return digest if isinstance(digest, str) else None

    def live(self) -> Iterator[Stored]:
        """Yield the checkpoints that are there, in their order in the log."""
        return (stored for name, stored in self.checkpoints.items() if name not in self.deleted)

    def value(self, form: Json, serde: SerializerProtocol) -> Any:  # noqa: ANN401 - anything
        """Return the value of a form."""
        return decoded(form, serde, lambda name, value: self._own(name, value, serde))

    def _own(self, name: str, value: Json, serde: SerializerProtocol) -> Any:  # noqa: ANN401 - anything
        if name == "message":
            return self.message(value, serde)
        return [self.message(ref, serde) for ref in value]

    def message(self, ref: Ref, serde: SerializerProtocol) -> BaseMessage:
        """Return a message, a new one each time."""
        message_id, *given = [ref] if isinstance(ref, str) else ref
        pieces = self.messages.get(message_id) or self.around(message_id) or self.beside(message_id)
        if pieces is None:
            raise UnknownMessage(self.thread_id, message_id)
        message = restored(pieces, serde)
        if given:
            message.id = given[0]
        elif not pieces.residue:
            message.id = message_id
        return message

    def pending(self, checkpoint: str, serde: SerializerProtocol) -> list[tuple[str, str, Any]]:
        """Return what tasks wrote after a checkpoint, in the order in which it is applied."""
        writes = sorted(
            self.writes.get(checkpoint, {}).values(),
            key=lambda write: writes_sort_key(write.path, write.task, write.place),
        )
        return [(write.task, write.channel, self.value(write.value, serde)) for write in writes]


def _changed(before: Mapping[str, Any], changes: Mapping[str, Json]) -> dict[str, Any]:
    """Return a mapping with changes: None where a key is gone."""
    return {key: value for key, value in {**before, **changes}.items() if value is not None}


def refs_in(form: Json) -> Iterator[Ref]:
    """Yield the messages that a value names."""
    match form:
        case {"message": ref}:
            yield ref
        case {"messages": refs}:
            yield from refs
        case {"array": items} | {"tuple": items}:
            for item in items:
                yield from refs_in(item)
        case {"object": items}:
            for item in items.values():
                yield from refs_in(item)
        case {"send": [_, arg]}:
            yield from refs_in(arg)
        case _:
            pass
