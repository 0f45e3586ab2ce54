"""Decides the requests of one commit, in order, each against its thread.

Each request sees its thread as the requests before it leave it, so two appends to one thread in a
batch both count. A refused request does not affect the others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.drafts import Prepared
from agentlog.domain.errors import (
    AgentlogError,
    MessageConflict,
    RuleBroken,
    ThreadExists,
    VersionConflict,
)
from agentlog.domain.facts import Fact, Start
from agentlog.domain.messages import Message
from agentlog.domain.threads import Breach, LedgerEntry, LedgerKey, Thread, decide, mentions
from agentlog.infrastructure.appending.append_request import (
    Appended,
    Outcome,
    Ready,
    Receipt,
    ThreadKey,
)
from agentlog.infrastructure.appending.commit_plan import (
    Changes,
    LogState,
    NewEvent,
    Note,
    Place,
    Wanted,
)
from agentlog.infrastructure.eventlog.thread_heads import Head, facts_after, hidden_after

StoredBody = Callable[[str, str, int], bytes]
"""Returns an event's stored bytes; called with tenant, thread id and version."""


def wanted_by(ready: Sequence[Ready], *, again: bool) -> Wanted:
    """Return what must be known to decide these requests.

    `again`: an earlier try may have been committed, so generated ids may exist too.
    """
    return Wanted(
        threads=list({request.thread: None for request in ready}),
        keys=list(
            {
                (request.thread, key): None
                for request in ready
                for prepared in request.prepared
                for key in mentions(prepared.message)
            }
        ),
        ids=[
            (*request.thread, prepared.message.id)
            for request in ready
            for prepared in request.prepared
            if again or prepared.id_given
        ],
    )


@dataclass(slots=True)
class _Trial:
    """One request being decided, message by message; it counts only if every message passes.

    `places` are those of the thread's ids, `ledger` the known entries of its calls, `noted` the
    entries that this request adds.
    """

    thread: Thread
    facts: bytes | None
    hidden: bool
    position: int
    places: Mapping[str, Place]
    ledger: Mapping[LedgerKey, LedgerEntry]
    events: list[NewEvent] = field(default_factory=list)
    own_places: dict[str, Place] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    breaches: list[tuple[str, Breach]] = field(default_factory=list)
    noted: dict[LedgerKey, LedgerEntry] = field(default_factory=dict)

    def decide(self, message: Message | Fact) -> Sequence[Breach]:
        """Go on to the thread after a message; return the rules it broke; raises `RuleBroken`.

        Passes on only the ledger entries that the message mentions, as a ledger may be long.
        """
        known = {
            key: entry
            for key in mentions(message)
            if (entry := self.noted.get(key) or self.ledger.get(key)) is not None
        }
        thread_id, version, policy, status, _ = self.thread
        after, breaches = decide(Thread(thread_id, version, policy, status, known), message)
        for key, entry in after.ledger.items():
            if known.get(key) is not entry:
                self.noted[key] = entry
        self.thread = after
        return breaches


class Batch:
    """The requests of one commit, and the threads as they leave them."""

    def __init__(self, log_state: LogState, stored_body: StoredBody) -> None:
        self._log_state = log_state
        self._stored_body = stored_body
        self._position = log_state.position
        self._heads: dict[ThreadKey, Head] = {}
        self._places: dict[ThreadKey, dict[str, Place]] = {}
        self._ledgers: dict[ThreadKey, dict[LedgerKey, LedgerEntry]] = {}
        self.widen(log_state)
        self._noted: dict[ThreadKey, dict[LedgerKey, LedgerEntry]] = {}
        self._events: list[NewEvent] = []
        # of the new events with given ids, by version
        self._bodies: dict[tuple[ThreadKey, int], bytes] = {}

    def widen(self, log_state: LogState) -> None:
        """Add what is known of more of the log; what was decided here stays."""
        for key, head in log_state.heads.items():
            self._heads.setdefault(key, head)
        for (tenant, thread_id, message_id), place in log_state.places.items():
            self._places.setdefault((tenant, thread_id), {}).setdefault(message_id, place)
        for key, entries in log_state.ledger.items():
            self._ledgers[key] = {**entries, **self._ledgers.get(key, {})}

    def decide(self, ready: Ready) -> Outcome:
        """Decide one request against its thread as it stands in this batch."""
        head = self._heads[ready.thread]
        trial = _Trial(
            Thread(head.thread_id, head.version, head.policy, head.status),
            head.facts,
            head.hidden,
            self._position,
            self._places.get(ready.thread, {}),
            self._ledgers.get(ready.thread, {}),
        )
        try:
            for index, prepared in enumerate(ready.prepared):
                self._take(trial, ready, index, prepared)
        except AgentlogError as error:
            return error.detached()
        if trial.events:
            head = self._accept(ready.thread, trial)
        return Appended(
            ready.request.thread_id,
            head.version,
            head.position,
            tuple(trial.receipts),
            tuple(trial.breaches),
        )

    def head(self, thread: ThreadKey) -> Head | None:
        """Return a thread as this batch leaves it; None if it is not about it."""
        return self._heads.get(thread)

    def taken(self) -> list[NewEvent]:
        """Return the events that were accepted since this was asked last, and leave them."""
        events, self._events = self._events, []
        return events

    def changes(self) -> Changes | None:
        """Return all that was accepted; None if that is nothing."""
        if not self._events:
            return None
        log_state = self._log_state
        heads = [head for key, head in self._heads.items() if head is not log_state.heads[key]]
        notes = [
            Note(
                thread,
                key,
                entry,
                assumed=not (log_state.complete or key in log_state.ledger.get(thread, ())),
            )
            for thread, entries in self._noted.items()
            for key, entry in entries.items()
        ]
        return Changes(log_state.position, self._position, self._events, heads, notes)

    def _take(self, trial: _Trial, ready: Ready, index: int, prepared: Prepared) -> None:
        request, message = ready.request, prepared.message
        known = trial.own_places.get(message.id) or trial.places.get(message.id)
        if known is not None:
            self._refuse_other_content(ready, prepared, known)
            receipt = Receipt(message.id, known.version, known.position, replayed=True)
            trial.receipts.append(receipt)
            return
        expected, actual = request.expected_version, self._heads[ready.thread].version
        if expected is not None and expected != actual:
            raise VersionConflict(request.thread_id, expected=expected, actual=actual)
        if isinstance(message, Start) and trial.thread.version:
            raise ThreadExists(request.thread_id)
        try:
            breaches = trial.decide(message)
        except RuleBroken as error:
            number = index - len(request.facts)
            inside = 0 <= number < len(request.drafts)
            raise error.within(f"messages[{number}]") if inside else error from error
        self._record(trial, ready, index, prepared)
        trial.breaches += [(message.id, breach) for breach in breaches]

    def _record(self, trial: _Trial, ready: Ready, index: int, prepared: Prepared) -> None:
        """Add the event of a message that was decided."""
        message, version = prepared.message, trial.thread.version
        trial.position = position = trial.position + 1
        trial.events.append(
            NewEvent(  # positional: keywords take twice as long
                *ready.thread,
                version,
                position,
                message.type,
                message.id,
                ready.stored[index],
                prepared.body_digest,
                prepared.left,
                prepared.metadata,
                prepared.id_given and not self._log_state.complete,
            )
        )
        if message.type in FACT_TYPES:
            trial.facts = facts_after(trial.facts, message, prepared.body)
            trial.hidden = hidden_after(message, before=trial.hidden)
        if prepared.id_given:  # generated ids are unique
            trial.own_places[message.id] = Place(version, position, prepared.body_digest)
            self._bodies[ready.thread, version] = prepared.body
        trial.receipts.append(Receipt(message.id, version, position, replayed=False))

    def _refuse_other_content(self, ready: Ready, prepared: Prepared, known: Place) -> None:
        if prepared.body_digest == known.body_digest:
            return
        stored = self._bodies.get((ready.thread, known.version))
        if stored is None:
            stored = self._stored_body(*ready.thread, known.version)
        if prepared.same_content(stored):
            return
        if isinstance(prepared.message, Start):
            raise ThreadExists(ready.request.thread_id)
        raise MessageConflict(ready.request.thread_id, prepared.message.id, version=known.version)

    def _accept(self, key: ThreadKey, trial: _Trial) -> Head:
        self._noted.setdefault(key, {}).update(trial.noted)
        self._ledgers.setdefault(key, {}).update(trial.noted)
        self._places.setdefault(key, {}).update(trial.own_places)
        self._events += trial.events
        self._position = trial.position
        before = self._heads[key]
        head = self._heads[key] = Head(
            *key,
            trial.thread.version,
            trial.position,
            before.chain,
            trial.thread.policy,
            trial.thread.status,
            before.anomalies + len(trial.breaches),
            trial.facts,
            before.started_at,
            before.updated_at,
            trial.hidden,
        )
        return head
