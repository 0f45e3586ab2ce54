"""Makes threads of histories: an id, facts, and messages that have the same ids at every import."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from domain.errors import InvalidInput, InvalidMessage
from domain.identifiers import check_thread_id, derived_message_id, is_thread_id
from domain.json.text import JsonValue
from infrastructure.transfer.documents import Plan
from infrastructure.transfer.records import SourceRecord
from infrastructure.transfer.template import expand, expand_value
from projections.readers.draft import Aside, Draft
from projections.readers.history import Format, History
from projections.readers.masking import masked

OWN_FACTS = ("goal", "parent", "limits", "metadata")
"""Facts of a thread in a record of our own export, beside `threadId` and `messages`."""

SOURCE = "source"
"""The key of a thread's metadata for the name that its source has, where no thread id fits it."""

_UNFIT = re.compile(r"[^A-Za-z0-9._:~-]+")
_LONGEST = 128


class NamelessThread(InvalidInput):
    """Nothing names the thread: no id in the record, and no file name."""


@dataclass(frozen=True, slots=True)
class ImportedThread:
    """A thread, ready to be appended.

    `is_own_id` says whether the source names the thread: two records with one id are one thread
    then. Else they are a mistake. `masked` counts secrets by their names.
    """

    thread_id: str
    started: dict[str, JsonValue] | None
    drafts: list[Draft]
    closed: dict[str, JsonValue] | None
    asides: Sequence[Aside]
    masked: Counter[str]
    is_own_id: bool


def threads_of(
    plan: Plan, chosen: Format, record: SourceRecord, document: JsonValue
) -> Iterator[ImportedThread]:
    """Yield the threads of a document; raises `InvalidInput` with the place in it."""
    for number, history in enumerate(chosen.read(document)):
        yield _thread(plan, record, history, number)


def _thread(plan: Plan, record: SourceRecord, history: History, number: int) -> ImportedThread:
    given = _given_id(record, history)
    thread_id = _thread_id(plan, record, given, number)
    named = {} if given is None or thread_id == given else {SOURCE: given}
    if plan.thread_id is not None:
        named = {}
    drafts = [_identified(draft, thread_id, n) for n, draft in enumerate(history.drafts)]
    started = _started(plan, record, history, named, implied=bool(drafts))
    hits = Counter[str]()
    if plan.masks:
        drafts = masked(drafts, plan.masks, hits)
        started = masked(started, plan.masks, hits)
    return ImportedThread(
        thread_id,
        started,
        drafts,
        _closed(record.value),
        history.asides,
        hits,
        is_own_id=plan.thread_id is None and given is not None,
    )


def _given_id(record: SourceRecord, history: History) -> str | None:
    own = _own(record.value).get("threadId")
    return own if isinstance(own, str) else history.id


def _thread_id(plan: Plan, record: SourceRecord, given: str | None, number: int) -> str:
    if plan.thread_id is not None:
        return check_thread_id(expand(plan.thread_id, _fields(record), of_file(record)))
    if given is not None:
        if "threadId" in _own(record.value):
            return check_thread_id(given)
        return given if is_thread_id(given) else fitted(given)
    stem = record.file.stem
    if not stem:
        raise NamelessThread("nothing names its thread: name it, as in --thread-id 'run-{record}'")
    numbers = [each for each in (record.number, number) if each]
    return fitted("-".join([stem, *map(str, numbers)]))


def fitted(name: str) -> str:
    """Return a thread id like a name: `-` for what no id has, a digest for what is too long."""
    found = _UNFIT.sub("-", name).strip("-")
    if is_thread_id(found) and len(found) <= _LONGEST:
        return found
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{found[: _LONGEST - 17].strip('.-')}-{digest}".lstrip("-")


def of_file(record: SourceRecord) -> dict[str, JsonValue]:
    """Return what a template knows of a record's file."""
    path = record.file.path
    folders = [*path.parent.parts, record.file.stem]
    return {
        "file": path.name,
        "stem": record.file.stem,
        "path": ":".join(_UNFIT.sub("-", each) for each in folders),
        "record": record.number,
    }


def _fields(record: SourceRecord) -> JsonValue:
    """Return what templates see: of a record that was gathered from lines, the first."""
    value: JsonValue = record.value
    return value[0] if record.places else value


def _identified(draft: Draft, thread_id: str, index: int) -> Draft:
    """Return a draft with the id that it gets at every import, unless it has one."""
    return draft if "id" in draft else {"id": derived_message_id(thread_id, index), **draft}


def _started(
    plan: Plan,
    record: SourceRecord,
    history: History,
    named: dict[str, JsonValue],
    *,
    implied: bool,
) -> dict[str, JsonValue] | None:
    """Return the thread's start; None if its first message implies it (`implied`)."""
    own = _own(record.value)
    facts: dict[str, JsonValue] = {key: own[key] for key in OWN_FACTS if own.get(key) is not None}
    if history.goal is not None:
        facts.setdefault("goal", history.goal)
    if history.parent is not None:
        facts.setdefault("parent", fitted(history.parent))
    if plan.goal is not None:
        facts["goal"] = expand(plan.goal, _fields(record), of_file(record))
    chosen = {
        key: value
        for key, text in plan.metadata.items()
        if (value := expand_value(text, _fields(record), of_file(record))) is not None
        or not text.endswith("?}")
    }
    if chosen or named or history.metadata:
        given = facts.get("metadata", {})
        if not isinstance(given, dict):
            raise InvalidMessage.at("metadata", "not an object")
        facts["metadata"] = {**history.metadata, **named, **given, **chosen}
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
