"""Deciding the requests of one commit, in their order, each against its thread.

A thread is as the requests before left it, so two appends to one thread in a batch both count. A
refused request takes nothing with it: the others are written.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from domain.drafts import Prepared
from domain.errors import (
    AgentlogError,
    MessageConflict,
    RuleBroken,
    ThreadExists,
    VersionConflict,
)
from domain.facts import ThreadStarted
from domain.threads import Breach, Entry, Key, Thread, decide, mentions
from infrastructure.blobs import Stored
from infrastructure.heads import Head
from infrastructure.log import Changes, Ground, Place, Wanted, chained
from infrastructure.requests import (
    Appended,
    Outcome,
    Ready,
    Receipt,
    ThreadKey,
)

StoredBody = Callable[[str, str, int], bytes]
"""Returns the stored bytes of an event: tenant, thread id, version."""


@dataclass(frozen=True, slots=True)
class _Accepted:
    """A message that will be an event: its thread, and its places there and in the log."""

    thread: ThreadKey
    version: int
    position: int
    prepared: Prepared
    stored: Stored


@dataclass(slots=True)
class _Trial:
    """One request being decided: nothing of it counts until all of it passed."""

    head: Head
    ledger: Mapping[Key, Entry]
    position: int
    accepted: list[_Accepted] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    breaches: list[tuple[str, Breach]] = field(default_factory=list)


def wanted_by(ready: Sequence[Ready], *, again: bool) -> Wanted:
    """Return what deciding these requests needs to know.

    `again`: an earlier try may have been committed, so that ids of our own may stand there too.
    """
    return Wanted(
        threads=list({each.thread: None for each in ready}),
        keys=list(
            {
                (each.thread, key): None
                for each in ready
                for prepared in each.prepared
                for key in mentions(prepared.message)
            }
        ),
        ids=[
            (*each.thread, prepared.message.id)
            for each in ready
            for prepared in each.prepared
            if again or prepared.id_given
        ],
    )


class Batch:
    """The requests of one commit, and the threads as these leave them."""

    def __init__(self, ground: Ground, stored_body: StoredBody) -> None:
        self._ground = ground
        self._stored_body = stored_body
        self._position = ground.position
        self._heads = dict(ground.heads)
        self._ledger = dict(ground.ledger)
        self._places = dict(ground.places)
        self._accepted: list[_Accepted] = []
        self._noted: dict[ThreadKey, dict[Key, Entry]] = {}

    def __len__(self) -> int:
        """Return how many events there will be."""
        return len(self._accepted)

    def decide(self, ready: Ready) -> Outcome:
        """Decide one request against its thread as it stands in this batch."""
        trial = _Trial(
            head=self._heads[ready.thread],
            ledger=self._ledger.get(ready.thread, {}),
            position=self._position,
        )
        try:
            for index in range(len(ready.prepared)):
                self._take(trial, ready, index)
        except AgentlogError as error:
            return error
        self._accept(ready.thread, trial)
        return Appended(
            thread_id=ready.request.thread_id,
            version=trial.head.version,
            position=trial.head.position,
            messages=tuple(trial.receipts),
            breaches=tuple(trial.breaches),
        )

    def changes(self, recorded_at: datetime) -> Changes:
        """Return what passed, as it will be written at that time."""
        chains = {each.thread: self._ground.heads[each.thread].chain for each in self._accepted}
        events = []
        for each in self._accepted:
            prepared = each.prepared
            tenant, thread_id = each.thread
            event = chained(
                chains[each.thread],
                recorded_at,
                tenant=tenant,
                thread_id=thread_id,
                version=each.version,
                position=each.position,
                type_name=prepared.message.type,
                message_id=prepared.message.id,
                stored=each.stored,
                body_digest=prepared.body_digest,
                metadata=prepared.metadata,
            )
            chains[each.thread] = event.chain
            events.append(event)
        heads = [replace(self._heads[key], chain=chain) for key, chain in chains.items()]
        return Changes(recorded_at, events, heads, self._noted)

    def _take(self, trial: _Trial, ready: Ready, index: int) -> None:
        request, prepared = ready.request, ready.prepared[index]
        head = trial.head
        known = trial.places.get(prepared.message.id) or self._places.get(
            (head.tenant, head.thread_id, prepared.message.id)
        )
        if known is not None:
            self._refuse_other_content(trial, prepared, known)
            trial.receipts.append(
                Receipt(prepared.message.id, known.version, known.position, replayed=True)
            )
            return
        if request.expected_version not in {None, head.version - len(trial.accepted)}:
            raise VersionConflict(
                head.thread_id,
                expected=request.expected_version or 0,
                actual=head.version - len(trial.accepted),
            )
        if isinstance(prepared.message, ThreadStarted) and head.version:
            raise ThreadExists(head.thread_id)
        thread = Thread(head.thread_id, head.version, head.policy, head.status, trial.ledger)
        try:
            after, breaches = decide(thread, prepared.message)
        except RuleBroken as error:
            number = index - len(request.facts)
            inside = 0 <= number < len(request.drafts)
            raise error.within(f"messages[{number}]") if inside else error from error
        trial.position += 1
        trial.accepted.append(
            _Accepted(ready.thread, after.version, trial.position, prepared, ready.stored[index])
        )
        trial.ledger = after.ledger
        trial.head = Head(
            tenant=head.tenant,
            thread_id=head.thread_id,
            version=after.version,
            position=trial.position,
            chain=head.chain,  # as it was: the links are made when the time is known
            policy=after.policy,
            status=after.status,
            anomalies=head.anomalies + len(breaches),
            facts=head.facts_after(prepared.message, prepared.body),
            started_at=head.started_at,
            updated_at=head.updated_at,
        )
        message_id = prepared.message.id
        trial.breaches += [(message_id, breach) for breach in breaches]
        trial.places[message_id] = Place(after.version, trial.position, prepared.body_digest)
        trial.receipts.append(Receipt(message_id, after.version, trial.position, replayed=False))

    def _refuse_other_content(self, trial: _Trial, prepared: Prepared, known: Place) -> None:
        if prepared.body_digest == known.body_digest:
            return
        pending = [*self._accepted, *trial.accepted]
        stored = next(
            (each.prepared.body for each in pending if each.position == known.position), None
        ) or self._stored_body(trial.head.tenant, trial.head.thread_id, known.version)
        if prepared.same_content(stored):
            return
        if isinstance(prepared.message, ThreadStarted):
            raise ThreadExists(trial.head.thread_id)
        raise MessageConflict(trial.head.thread_id, prepared.message.id, version=known.version)

    def _accept(self, thread: ThreadKey, trial: _Trial) -> None:
        if not trial.accepted:
            return
        before = self._ledger.get(thread, {})
        if trial.ledger is not before:
            changed = {k: entry for k, entry in trial.ledger.items() if before.get(k) != entry}
            self._noted.setdefault(thread, {}).update(changed)
            self._ledger[thread] = trial.ledger
        self._heads[thread] = trial.head
        self._position = trial.position
        self._accepted += trial.accepted
        self._places.update({(*thread, key): place for key, place in trial.places.items()})
