"""Parses records: the thread's id, its facts, and its messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jsonpath import JSONPath, JSONPathError
from jsonpath import compile as compile_path

from domain.errors import InvalidInput, InvalidMessage
from domain.facts import Policy
from domain.identifiers import check_thread_id, derived_message_id
from domain.json.text import JsonValue
from infrastructure.transfer.sources import SourceRecord
from infrastructure.transfer.template import expand, expand_value
from projections.readers.draft import Draft, Reader

OWN_FACTS = ("goal", "parent", "limits", "metadata")
"""Facts of a thread in a record of our own export, beside `threadId` and `messages`."""

_SIGNS = {
    "kernel": ("type",),
    "openai": ("role",),
    "letta": ("message_type",),
    "openletta": ("message_type",),
    "maria": ("msg", "desc"),
}
"""The key that identifies a message of each format."""


class InvalidPath(InvalidInput):
    """The JSONPath does not parse, or does not lead to messages."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to read records.

    `messages` is a JSONPath (RFC 9535) to the messages in a record; without it they are the record
    itself, or the value of its key `messages`. `thread_id`, `goal` and the values of `metadata` are
    templates over the record.
    """

    reader: Reader
    messages: str | None = None
    thread_id: str | None = None
    goal: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    policy: Policy | None = None

    def compiled(self) -> JSONPath | None:
        """Return the path to the messages; raises `InvalidPath`."""
        try:
            path = None if self.messages is None else compile_path(self.messages)
        except JSONPathError as error:
            raise InvalidPath(f"{self.messages!r} is no JSONPath: {error}") from error
        if path is not None and not isinstance(path, JSONPath):
            raise InvalidPath(f"{self.messages!r}: use a single path")
        return path


@dataclass(frozen=True, slots=True)
class History:
    """A thread of a record, ready to be appended."""

    thread_id: str
    started: dict[str, JsonValue] | None
    drafts: list[Draft]
    closed: dict[str, JsonValue] | None


def read_history(plan: Plan, path: JSONPath | None, record: SourceRecord) -> History:
    """Return the thread that a record describes; raises `InvalidInput` with the place in it."""
    if isinstance(record.value, InvalidInput):
        raise record.value
    value = record.value
    thread_id = check_thread_id(_thread_id(plan, record))
    drafts = [
        _identified(draft, thread_id, index)
        for index, draft in enumerate(plan.reader.read(_items(plan, path, value)))
    ]
    started = _started(plan, value, implied=bool(drafts))
    return History(thread_id, started, drafts, _closed(value))


def is_history(plan: Plan, value: JsonValue) -> bool:
    """Return whether a whole array is one history rather than a list of records."""
    signs = _SIGNS[plan.reader.name]
    return plan.messages is None and isinstance(value, dict) and any(key in value for key in signs)


def _thread_id(plan: Plan, record: SourceRecord) -> str:
    if plan.thread_id is not None:
        return expand(plan.thread_id, record.value)
    if isinstance(record.value, dict) and isinstance(record.value.get("threadId"), str):
        return str(record.value["threadId"])
    return record.stem if record.number == 0 else f"{record.stem}-{record.number}"


def _items(plan: Plan, path: JSONPath | None, value: JsonValue) -> list[JsonValue]:
    if path is not None:
        try:
            found = path.findall(value)
        except JSONPathError as error:  # as for `$..x` in what is nested deep
            raise InvalidPath(f"{plan.messages} does not apply to this record: {error}") from error
        if not found:
            raise InvalidPath(f"{plan.messages} leads to nothing in this record")
        return list(found[0] if len(found) == 1 and isinstance(found[0], list) else found)
    match value:
        case list(items):
            return items
        case {"messages": list(items)}:
            return items
        case _:
            raise InvalidMessage.at(
                "", "has no messages: say where they are by a JSONPath, as in --messages '$.traj'"
            )


def _identified(draft: Draft, thread_id: str, index: int) -> Draft:
    """Return a draft with the id that it gets at every import, unless it has one."""
    return draft if "id" in draft else {"id": derived_message_id(thread_id, index), **draft}


def _started(plan: Plan, value: JsonValue, *, implied: bool) -> dict[str, JsonValue] | None:
    """Return the thread's start; None if its first message implies it (`implied`)."""
    own = _own(value)
    facts: dict[str, JsonValue] = {key: own[key] for key in OWN_FACTS if own.get(key) is not None}
    if plan.goal is not None:
        facts["goal"] = expand(plan.goal, value)
    if plan.metadata:
        chosen = {key: expand_value(text, value) for key, text in plan.metadata.items()}
        given = facts.get("metadata", {})
        if not isinstance(given, dict):
            raise InvalidMessage.at("metadata", "not an object")
        facts["metadata"] = {**given, **chosen}
    # a foreign history is recorded as it is; one of our own export keeps its policy
    policy = plan.policy or own.get("policy") or "record"
    if implied and not facts and policy == "strict":
        return None
    return {"type": "thread.started", **facts, "policy": policy}


def _closed(value: JsonValue) -> dict[str, JsonValue] | None:
    match _own(value).get("closed"):
        case {"type": _}:
            raise InvalidMessage.at("closed.type", "no such field: closed has reason")
        case dict(closed):
            return {"type": "thread.closed", **closed}
        case _:
            return None


def _own(value: JsonValue) -> dict[str, JsonValue]:
    """Return a record of our own export, which names its thread; else an empty one."""
    match value:
        case {"threadId": str()}:
            return dict(value)
        case _:
            return {}
