"""Threads that spans are taken into, each span once.

Nothing waits and nothing is held back: what a batch adds to a thread is one append, and says how
far the thread was when that was decided. If it has gone on since, it is read and decided again.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from agentlog.domain.drafts import Origin
from agentlog.domain.errors import (
    AgentlogError,
    MessageConflict,
    ThreadExists,
    UnknownThread,
    VersionConflict,
)
from agentlog.domain.identifiers import is_thread_id
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.domain.messages import CustomMessage
from agentlog.extensions.traces.projections.readers.drafts import TooManyAdded
from agentlog.extensions.traces.projections.readers.message_reader import MessageReader
from agentlog.extensions.traces.projections.readers.placement import ConversationSpan, in_order
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.runs.parts import completed
from agentlog.extensions.traces.projections.readers.runs.run import WIRE
from agentlog.extensions.traces.projections.readers.span import OTEL, SPAN, Span
from agentlog.extensions.traces.projections.readers.thread import CONVERSATION, SpanThread, folded
from agentlog.extensions.traces.projections.readers.unread import unread_in
from agentlog.infrastructure.appending.append_request import AppendRequest, Outcome
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.open_histories import ThreadContended
from agentlog.infrastructure.transfer.threads import fitted
from agentlog.projections.view import Item

_TRIES = 8
_THREAD_MESSAGES = 4  # of an append to a thread, beside its messages
_THREADS = 1000
_MOST_ENTRIES = 100_000  # of some 300 bytes
_BEGINNING_BYTES = 1024


_FEW_NAMES = 8
_MOST_MOVED = 64
"""Spans of tools that are moved to the thread of their conversation: a request bounds its work."""


@dataclass(slots=True)
class RefusedCount:
    """How many spans or records were refused, and why; what of the others is in no message.

    `unread` are attributes with words that only the record of their span has, each with a count.
    """

    count: int = 0
    reasons: dict[str, None] = field(default_factory=dict)
    unread: Counter[str] = field(default_factory=Counter)

    @property
    def message(self) -> str:
        """What an answer says of them; empty where all was read."""
        texts = [*self.reasons]
        if self.unread:
            names = ", ".join(sorted(self.unread)[:_FEW_NAMES])
            more = ", …" if len(self.unread) > _FEW_NAMES else ""
            count = self.unread.total()
            texts.append(f"{count} attributes with words are only in otel.span: {names}{more}")
        return "; ".join(texts)

    def add(self, count: int, reason: str) -> None:
        """Note some more."""
        if count:
            self.count += count
            self.reasons[reason] = None


@dataclass(slots=True)
class _Share:
    """What a batch has for one thread."""

    wire: str
    spans: list[Span] = field(default_factory=list)
    facts: Item = field(default_factory=dict)
    also_named: str | None = None
    unread: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        return sum(len(span.records) for span in self.spans)


class SpanThreads:
    """One tenant's threads as spans are taken into them; any number of threads may call it."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._recent: OrderedDict[str, SpanThread] = OrderedDict()
        self._readers = {wire: MessageReader(wire) for wire in (OTEL, WIRE)}

    def take(  # noqa: PLR0913 - one parameter a choice
        self,
        spans: Iterable[ConversationSpan],
        refused: RefusedCount,
        *,
        wire: str,
        facts: Callable[[Span], Item],
        most: int,
        origin: Origin,
    ) -> None:
        """Append what spans of a wire say; count those that are refused.

        `facts` returns the metadata that a thread begins with, if a span begins it.

        Raises:
            TooManyAdded: they are more messages than `most`; nothing was appended, unless others
                append to the same threads.
            WriterOverloaded, DatabaseUnavailable, ThreadContended: trying again is safe.
        """
        shares: dict[str, _Share] = {}
        for span in spans:
            share = shares.setdefault(thread_id_of(span.name), _Share(wire))
            share.spans.append(span.span)
            share.facts = share.facts or {**facts(span.span), **_name(span)}
            share.also_named = span.also_named or share.also_named
        for attempt in range(_TRIES):
            try:
                shares = self._append(shares, origin, refused, most, is_first=attempt == 0)
            except TooManyAdded as error:
                raise TooManyAdded(most) from error
            self._forget()
            if not shares:
                return
        raise ThreadContended(
            f"others append to thread {next(iter(shares))!r} without a pause: send the batch again"
        )

    def is_there(self, thread_id: str) -> bool:
        """Return whether there is a thread."""
        if thread_id in self._recent:
            return True
        try:
            self._threads.head(thread_id)
        except UnknownThread:
            return False
        return True

    def tool_runs(self, thread_id: str) -> list[Item]:
        """Return the spans of a thread that has runs of tools alone; none if it has more."""
        state = self._recent.get(thread_id) or self._read(thread_id)
        has_more = len(state.contexts) or state.prompts or len(state.records) > _MOST_MOVED
        if has_more or not state.calls.answered:
            return []
        events = self._threads.messages(thread_id, types=[SPAN])
        messages = [event.message for event in events]
        return [object_of(m.payload) for m in messages if isinstance(m, CustomMessage)]

    def hide(self, thread_id: str, *, conversation: str, origin: Origin) -> None:
        """Hide a thread whose spans are in that of their conversation now; its metadata says so."""
        state = self._recent.pop(thread_id, None) or self._read(thread_id)
        annotation: dict[str, JsonValue] = {
            "type": "thread.annotated",
            "metadata": {CONVERSATION: conversation},
        }
        request = self._threads.request(
            thread_id,
            closing=[annotation, {"type": "thread.hidden"}],
            expected_version=state.version,
            origin=origin,
        )
        self._threads.append_many([request])  # it is there twice if another span came meanwhile

    def _append(
        self,
        shares: Mapping[str, _Share],
        origin: Origin,
        refused: RefusedCount,
        most: int,
        *,
        is_first: bool,
    ) -> dict[str, _Share]:
        """Append shares; return those whose threads have gone on meanwhile."""
        states: dict[str, SpanThread] = {}
        requests: list[AppendRequest] = []
        for thread_id, share in shares.items():
            most -= _THREAD_MESSAGES
            # a thread is taken for new before it is read: most are, and if not it is refused
            state = self._recent.pop(thread_id, None)
            is_taken_for_new = state is None and is_first
            state = state or (SpanThread() if is_first else self._read(thread_id))
            try:
                request = self._request(thread_id, state, share, origin, most)
            except TooManyAdded:
                if not (is_taken_for_new and self.is_there(thread_id)):
                    raise
                state = self._read(thread_id)
                request = self._request(thread_id, state, share, origin, most)
            if request is None:
                self._remember(thread_id, state)
                continue
            most -= len(request.drafts)
            states[thread_id] = state
            requests.append(request)
        again: dict[str, _Share] = {}
        for request, outcome in zip(requests, self._threads.append_many(requests), strict=True):
            thread_id = request.thread_id
            if _is_stale(outcome):
                again[thread_id] = shares[thread_id]
                continue
            if isinstance(outcome, AgentlogError):
                refused.add(shares[thread_id].count, str(outcome))
                continue
            refused.unread += shares[thread_id].unread
            if outcome.version == states[thread_id].version:
                self._remember(thread_id, states[thread_id])
        return again

    def _request(
        self, thread_id: str, state: SpanThread, share: _Share, origin: Origin, most: int
    ) -> AppendRequest | None:
        """Return what a share adds to a thread, None if nothing; `state` goes on by it."""
        before = state.version
        facts: list[dict[str, JsonValue]] = []
        if not before:
            facts.append({"type": "thread.started", "policy": "record", "metadata": share.facts})
            state.version += 1
        state.wire = share.wire
        spans = share.spans
        if share.wire == WIRE:
            spans = in_order(
                completed(part, state.runs, self._raw_records(thread_id)) for part in spans
            )
        drafts = recorded(state, spans, most=most, reader=self._readers[share.wire])
        share.unread = Counter(name for draft in drafts for name in unread_in(draft))
        closing: list[dict[str, JsonValue]] = []
        if share.also_named is not None and state.conversation != share.also_named:
            state.conversation = share.also_named
            state.version += 1
            metadata: JsonValue = {CONVERSATION: share.also_named}
            closing.append({"type": "thread.annotated", "metadata": metadata})
        if not (drafts or closing):
            return None
        return self._threads.request(
            thread_id,
            drafts,
            facts=facts,
            closing=closing,
            expected_version=before,
            origin=origin,
        )

    def _raw_records(self, thread_id: str) -> Callable[[str], Item]:
        """Return what returns a raw record of a thread by the id of its message."""

        def record(message_id: str) -> Item:
            message = self._threads.message(thread_id, message_id, hidden=True).message
            return object_of(message.payload) if isinstance(message, CustomMessage) else {}

        return record

    def _read(self, thread_id: str) -> SpanThread:
        try:
            return folded(
                self._threads.messages(thread_id, most_bytes=_BEGINNING_BYTES, hidden=True)
            )
        except UnknownThread:
            return SpanThread()

    def _remember(self, thread_id: str, state: SpanThread) -> None:
        self._recent[thread_id] = state

    def _forget(self) -> None:
        """Forget the threads longest unused, where they are many or hold much together."""
        size = sum(state.size for state in list(self._recent.values()))
        while len(self._recent) > 1 and (len(self._recent) > _THREADS or size > _MOST_ENTRIES):
            _, forgotten = self._recent.popitem(last=False)
            size -= forgotten.size


def _is_stale(outcome: Outcome) -> bool:
    """Return whether an append was decided on a thread that has gone on."""
    return isinstance(outcome, VersionConflict | ThreadExists | MessageConflict)


def thread_id_of(name: str) -> str:
    """Return the thread of a conversation: its name, or where that does not fit one like it."""
    if is_thread_id(name):
        return name
    digest = sha256(name.encode()).hexdigest()[:16]
    return f"{fitted(name)[:100]}-{digest}".lstrip("-")


def _name(span: ConversationSpan) -> Item:
    """Return the name of a conversation that is no thread id, for its thread's metadata."""
    return {} if is_thread_id(span.name) else {CONVERSATION: span.name}
