"""The state and the store of a sample of inspect_ai, by the JSON patches of its events.

A patch tells what changed since its span (in old logs: its step) began, so an outer span's tells
again what those inside it told. It is applied to what was there when the span began: of each open
span is kept what it has replaced.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentlog.domain.fields import Json
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import (
    JsonObject,
    JsonValue,
    object_at,
    object_of,
    text_at,
)
from agentlog.extensions.formats.documents import (
    MOST_BYTES,
    Documents,
    changes_between,
)
from agentlog.extensions.formats.json_patch import (
    Bounds,
    Failure,
    NotApplied,
    patched,
    tokens_of,
    touched,
)

TASK, STORE = "task", "store"
_ELSEWHERE = frozenset({"messages", "output"})
"""Members of the state that are the conversation: messages of the thread say the same."""
_EMPTY: JsonObject = {"tools": [], "tool_choice": None, "metadata": {}}
"""What a state begins with: readers leave out what is empty."""
_MOST_SPANS = 64
_MOST_WORK = 4 * 2**20

Place = tuple[str, str]
"""A document's name, and a member of it."""


@dataclass(slots=True)
class Span:
    """An open span or step; `before` has the members it changed, `[]` for one not there then."""

    id: str
    before: dict[str, dict[str, list[Json]]] = field(default_factory=dict)

    def with_before(self, older: Mapping[Place, Sequence[JsonValue]]) -> "Span":
        """Return the span with older values added, of members it has none of yet."""
        before = {name: dict(members) for name, members in self.before.items()}
        for (name, key), value in older.items():
            before.setdefault(name, {}).setdefault(key, [*value])
        return Span(self.id, before)


@dataclass(slots=True)
class Spans:
    """The open spans, outermost first; `size` of what they keep, in bytes."""

    open: tuple[Span, ...] = ()
    size: int = 0

    def begun(self, span_id: str) -> "Spans":
        """Return the spans after one began; of very many the outermost is forgotten."""
        return Spans((*self.open, Span(span_id))[-_MOST_SPANS:], self.size)

    def ended(self, span_id: str | None) -> "Spans":
        """Return the spans after one ended, the innermost if it has no id; its parent keeps on."""
        place = self.place(span_id)
        if place is None:
            return self
        gone, left = self.open[place], [*self.open[:place], *self.open[place + 1 :]]
        if place == 0:
            return Spans(tuple(left), self.size if left else 0)
        left[place - 1] = left[place - 1].with_before(
            {
                (name, key): value
                for name, members in gone.before.items()
                for key, value in members.items()
            }
        )
        return Spans(tuple(left), self.size)

    def place(self, span_id: str | None) -> int | None:
        """Return the place of a span; without an id, of the innermost."""
        if span_id is None:
            return len(self.open) - 1 if self.open else None
        places = (n for n in reversed(range(len(self.open))) if self.open[n].id == span_id)
        return next(places, None)

    def before(self, place: int | None, documents: JsonObject) -> JsonObject:
        """Return documents as they were when a span began."""
        then = {name: dict(object_of(members)) for name, members in documents.items()}
        for span in reversed(self.open[place:] if place is not None else ()):
            for name, members in span.before.items():
                for key, value in members.items():
                    then[name].pop(key, None)
                    for inner in value:
                        then[name][key] = inner
        return {**then}

    def noting(self, older: Mapping[Place, Sequence[JsonValue]]) -> "Spans":
        """Return the spans after members changed that were so before."""
        if not self.open or not older:
            return self
        size = self.size + sum(len(key) + len(print_bytes([*v])) for (_, key), v in older.items())
        if size > MOST_BYTES:
            return Spans(tuple(Span(span.id) for span in self.open))
        return Spans((*self.open[:-1], self.open[-1].with_before(older)), size)


def folded(
    documents: Documents, spans: Spans, kind: str, payload: JsonObject
) -> tuple[Documents, Spans, list[Failure]]:
    """Return the documents and spans after an event of inspect_ai, and what does not apply."""
    match kind, payload:
        case "inspect.span_begin", {"id": str(span_id)}:
            return documents, spans.begun(span_id), []
        case "inspect.span_end", {"id": str(span_id)}:
            return documents, spans.ended(span_id), []
        case "inspect.step", {"action": "begin"}:
            return documents, spans.begun(""), []
        case "inspect.step", {"action": "end"}:
            return documents, spans.ended(None), []
        case "inspect.sample_init", {"state": dict(state)}:
            store = object_of(state.get(STORE))
            task = {k: v for k, v in state.items() if k not in {STORE, *_ELSEWHERE}}
            task = {**_EMPTY, **task}
            return _replaced(documents, spans, {TASK: task, STORE: store})
        case "inspect.sample", {"store": dict(store)}:
            return _replaced(documents, spans, {STORE: store})
        case "inspect.state" | "inspect.store", {"changes": list(changes)}:
            moved = [_moved(change, is_store=kind == "inspect.store") for change in changes]
            patch = [change for change in moved if change is not None]
            return _patched(documents, spans, patch, text_at(payload, "span_id"))
        case _:
            return documents, spans, []


def _replaced(
    documents: Documents, spans: Spans, named: Mapping[str, JsonObject]
) -> tuple[Documents, Spans, list[Failure]]:
    failures = list[Failure]()
    for name, members in named.items():
        documents, more = documents.replaced(name, members)
        failures += more
    return documents, replace(spans, open=tuple(Span(span.id) for span in spans.open)), failures


def _patched(
    documents: Documents, spans: Spans, patch: Sequence[JsonValue], span_id: str | None
) -> tuple[Documents, Spans, list[Failure]]:
    now: JsonObject = {name: documents.members(name) for name in (TASK, STORE)}
    then = spans.before(spans.place(span_id), now)
    bounds = Bounds(size=max(0, MOST_BYTES - documents.size), work=_MOST_WORK)
    after, failures = patched(then, patch, bounds)
    older: dict[Place, Sequence[JsonValue]] = {}
    for name, keys in _members_in(patch, [now, object_of(after)]).items():
        members = documents.members(name)
        changes = changes_between(members, object_at(object_of(after), name), keys)
        documents, more = documents.changed(name, changes)
        failures += more
        older |= {(name, key): [members[key]] if key in members else [] for key in changes}
    return documents, spans.noting(older), failures


def _members_in(
    patch: Sequence[JsonValue], versions: Sequence[JsonObject]
) -> dict[str, dict[str, None]]:
    """Return the members that a patch changes, by document; all where it changes it whole."""
    members: dict[str, dict[str, None]] = {TASK: {}, STORE: {}}
    for pointer in touched(patch):
        try:
            name, *key = tokens_of(pointer)[:2]
        except (NotApplied, ValueError):
            continue
        if name in members:
            keys = key or [k for version in versions for k in object_at(version, name)]
            members[name] |= dict.fromkeys(keys)
    return members


def _moved(change: JsonValue, *, is_store: bool) -> JsonValue:
    """Return a change with its paths from the documents on; None for the conversation's."""
    fields = dict(object_of(change))
    for name in ("path", "from"):
        path = fields.get(name)
        if not isinstance(path, str):
            continue
        first = path.split("/", 2)[1:2]
        if is_store:
            fields[name] = f"/{STORE}{path}"
        elif first and first[0] in _ELSEWHERE:
            return None
        elif first != [STORE]:
            fields[name] = f"/{TASK}{path}"
    return fields
