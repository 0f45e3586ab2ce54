"""Makes threads of histories: an id, facts, and messages that have the same ids at every import."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import accumulate, count

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.identifiers import derived_message_id, is_thread_id
from agentlog.domain.json.text import print_bytes, print_text
from agentlog.domain.json.values import JsonValue, array_of, object_at, object_of
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.records import SourceRecord
from agentlog.infrastructure.transfer.template import expand, expand_value
from agentlog.projections.exchanges.masking import masked_message
from agentlog.projections.readers.draft import Draft, Unmapped
from agentlog.projections.readers.history import OWN_FACTS, Format, History, is_own
from agentlog.projections.readers.registry import RefusedSource, Remedy

SOURCE = "source"
"""The key of a thread's metadata for the name that its source has, where no thread id fits it."""

_UNFIT = re.compile(r"[^A-Za-z0-9._:~-]+")
_LONGEST = 128
_NOTHING: Mapping[str, JsonValue] = {}


class NothingKnown(RefusedSource):
    """A reader knows no item of a record: its thread would be blank."""

    def __init__(self, chosen: Format, kept: Counter[str]) -> None:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in kept.most_common(5))
        all_would = f", all would be {kinds}" if kinds else ""
        super().__init__(f"{chosen.name} knows nothing in it{all_would}")


class NamelessThread(RefusedSource):
    """Nothing names the thread: no id in the record, and no file name."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, Remedy({"thread-id": "run-{record}"}))


@dataclass(frozen=True, slots=True)
class ImportedThread:
    """A thread, ready to be appended.

    `is_own_id` says whether the source names the thread: two records with one id are one thread
    then. Else they are a mistake. `own_ids` are the ids of messages that the source itself gives,
    `of_whole` those of messages about the whole; `is_sorted` if their order is not that of the
    source; `is_blank` if its reader knows none of its items. `masked` counts secrets by their
    names, `kept` items that became messages of the format's own types, by type.
    """

    thread_id: str
    started: dict[str, JsonValue] | None
    drafts: list[Draft]
    closed: dict[str, JsonValue] | None
    unmapped: Sequence[Unmapped]
    masked: Counter[str]
    is_own_id: bool
    own_ids: AbstractSet[str]
    of_whole: AbstractSet[str]
    is_sorted: bool
    is_blank: bool
    kept: Counter[str]

    @property
    def times(self) -> list[int]:
        """The time of each message in ms: its own, else of the one before; none where all lack it.

        Those before the first that has one get that one's.
        """
        given = [draft.get("timestamp") for draft in self.drafts]
        known = [timestamp for timestamp in given if isinstance(timestamp, int)]
        if not known:
            return []
        return list(accumulate(given, _later, initial=known[0]))[1:]


def threads_of(
    plan: Plan,
    chosen: Format,
    record: SourceRecord,
    document: JsonValue,
    beside: Mapping[str, JsonValue] = _NOTHING,
) -> list[ImportedThread]:
    """Return the threads of a document; raises `InvalidInput` with the place in it.

    The first has what stands beside the document in its record, and beside its record in the file.
    """
    threads: list[ImportedThread] = []
    for number, history in enumerate(chosen.read(document)):
        inside = history.beside if number else {**history.beside, **beside}
        rest = {key: value for key, value in inside.items() if key not in plan.named_fields}
        whole = _with_rest(history, f"{chosen.name}.record", rest)
        if not number:
            whole = _with_rest(whole, f"{chosen.name}.document", record.beside)
        threads.append(_thread(plan, chosen, record, whole, number))
    if threads and all(thread.is_blank for thread in threads):
        kept = sum((thread.kept for thread in threads), Counter[str]())
        raise NothingKnown(chosen, kept)
    return threads


def _with_rest(history: History, kind: str, rest: Mapping[str, JsonValue]) -> History:
    """Return a history with a last message of a kind for what stands beside it.

    The message's id comes from its content: a later version of the record may have more before it.
    """
    if not rest:
        return replace(history, beside={})
    message_id = derived_message_id(kind.removesuffix(".record"), print_text({**rest}))
    last: Draft = {"id": message_id, "type": kind, "payload": {**rest}}
    unmapped = [Unmapped(key, f"field {key!r}") for key in rest]
    return replace(
        history,
        drafts=[*history.drafts, last],
        unmapped=[*history.unmapped, *unmapped],
        of_whole={*history.of_whole, message_id},
        beside={},
    )


def _thread(
    plan: Plan, chosen: Format, record: SourceRecord, history: History, number: int
) -> ImportedThread:
    own = _own(record.json).get("threadId")
    given = own if isinstance(own, str) else history.id
    templates = _Templates(record, number, given)
    name = given if plan.thread_id is None else templates.text(plan.thread_id)
    if name is None:
        name = thread_id = _id_by_file(record, number)
    elif not name:
        raise NamelessThread(f"{plan.thread_id!r} is empty for this record")
    else:
        thread_id = fitted(name)
    named = {} if thread_id == name else {SOURCE: name}
    places = count()
    drafts = [
        draft if "id" in draft else {"id": derived_message_id(thread_id, next(places)), **draft}
        for draft in history.drafts
    ]
    own_ids = {str(draft["id"]) for draft in history.drafts if "id" in draft} - history.of_whole
    history = replace(history, metadata={**history.metadata, **named})
    started = _start_of(plan, record, history, templates, implied=bool(drafts))
    kinds = [kind for draft in drafts if isinstance(kind := draft.get("type"), str)]
    hits = Counter[str]()
    for mask in plan.masks:
        drafts = [masked_message(mask, draft, hits) for draft in drafts]
        started = started and masked_message(mask, started, hits)
    return ImportedThread(
        thread_id,
        started,
        drafts,
        _end_of(record.json),
        history.unmapped,
        hits,
        is_own_id=plan.thread_id is None and given is not None,
        own_ids=own_ids,
        of_whole=history.of_whole,
        is_sorted=chosen.is_sorted,
        is_blank=history.is_blank,
        kept=Counter(kind for kind in kinds if "." in kind),
    )


def _later(before: int, given: JsonValue) -> int:
    return given if isinstance(given, int) else before


class _Templates:
    """Fills templates in for one thread."""

    def __init__(self, record: SourceRecord, number: int, given: str | None) -> None:
        # of a record that was gathered from lines, templates see the first
        self._record = array_of(record.json)[0] if record.places else record.json
        path, stem = record.file.path, record.file.stem
        self._beside = {
            "file": path.name,
            "stem": stem,
            "path": ":".join(_UNFIT.sub("-", part) for part in (*path.parent.parts, stem)),
            "record": f"{record.number}-{number}" if number else record.number,
            "thread": given,
        }

    def text(self, template: str) -> str:
        return expand(template, self._record, self._beside)

    def value(self, template: str) -> JsonValue:
        return expand_value(template, self._record, self._beside)


def _id_by_file(record: SourceRecord, number: int) -> str:
    stem = record.file.stem
    if not stem:
        raise NamelessThread("nothing names its thread")
    numbers = [given for given in (record.number, number) if given]
    name = "-".join([stem, *map(str, numbers)])
    return name_like if is_thread_id(name_like := _like(name)) else fitted(name)


def fitted(name: str) -> str:
    """Return `name` if it is a thread id, else one like it: no two names have the same."""
    if is_thread_id(name):
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{_like(name)[: _LONGEST - 17]}-{digest}".lstrip("-")


def _like(name: str) -> str:
    return _UNFIT.sub("-", name).strip(".-")


def _start_of(
    plan: Plan,
    record: SourceRecord,
    history: History,
    templates: _Templates,
    *,
    implied: bool,
) -> dict[str, JsonValue] | None:
    """Return the thread's start; None if its first message implies it (`implied`)."""
    own = _own(record.json)
    facts: dict[str, JsonValue] = {key: own[key] for key in OWN_FACTS if own.get(key) is not None}
    if history.goal is not None:
        facts.setdefault("goal", history.goal)
    if history.parent is not None:
        facts.setdefault("parent", fitted(history.parent))
    if plan.goal is not None:
        facts["goal"] = templates.text(plan.goal)
    chosen = {
        key: value
        for key, text in plan.metadata.items()
        if (value := templates.value(text)) is not None or not text.endswith("?}")
    }
    if chosen or history.metadata:
        given = facts.get("metadata", {})
        if not isinstance(given, dict):
            raise InvalidMessage.at("metadata", "not an object")
        facts["metadata"] = {**history.metadata, **given, **chosen}
    # a foreign history is recorded as it is; one of our own export keeps its policy
    policy = plan.policy or own.get("policy") or "record"
    if implied and not facts and policy == "strict":
        return None
    return {"type": "thread.started", **facts, "policy": policy}


def annotation(head: Head, started: dict[str, JsonValue]) -> list[dict[str, JsonValue]] | None:
    """Return the facts that add the metadata of a start to a thread that is there; maybe none.

    None if another fact of the start differs. What the start has as null is not added.
    """
    there = {**head.read_facts(), "policy": head.policy}
    if any(_differ(started[key], there.get(key)) for key in started.keys() - {"type", "metadata"}):
        return None
    known = head.metadata
    new: JsonValue = {
        key: value
        for key, value in object_at(started, "metadata").items()
        if value is not None and _differ(value, known.get(key))
    }
    return [{"type": "thread.annotated", "metadata": new}] if new else []


def _differ(one: JsonValue, other: JsonValue) -> bool:
    return print_bytes(one, sort_keys=True) != print_bytes(other, sort_keys=True)


def _end_of(value: JsonValue) -> dict[str, JsonValue] | None:
    match _own(value).get("closed"):
        case {"type": _}:
            raise InvalidMessage.at("closed.type", "no such field: closed has reason")
        case dict(closed):
            return {"type": "thread.closed", **closed}
        case _:
            return None


def _own(value: JsonValue) -> dict[str, JsonValue]:
    """Return a record of our own export, which names its thread; else an empty one."""
    return object_of(value) if is_own(value) else {}
