"""Deciding the requests of one commit, in their order, each against its thread.

A thread is as the requests before left it, so two appends to one thread in a batch both count. A
refused request takes nothing with it: the others are written.
"""

from collections.abc import Callable, Sequence
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
from infrastructure.changes import Changes, Ground, Place, Wanted, chained
from infrastructure.cuts import Stored
from infrastructure.heads import Head
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
    """One request being decided: nothing of it counts until all of it passed.

    `head` is as before the request, but for the thread's facts.
    """

    head: Head
    thread: Thread
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
        head = self._heads[ready.thread]
        trial = _Trial(
            head=head,
            thread=replace(head.thread, ledger=self._ledger.get(ready.thread, {})),
            position=self._position,
        )
        try:
            for index in range(len(ready.prepared)):
                self._take(trial, ready, index)
        except AgentlogError as error:
            return error
        if trial.accepted:
            self._accept(ready.thread, trial)
        head = self._heads[ready.thread]
        return Appended(
            thread_id=ready.request.thread_id,
            version=head.version,
            position=head.position,
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
        message_id, version = prepared.message.id, trial.thread.version
        known = trial.places.get(message_id) or self._places.get((*ready.thread, message_id))
        if known is not None:
            self._refuse_other_content(trial, prepared, known)
            receipt = Receipt(message_id, known.version, known.position, replayed=True)
            trial.receipts.append(receipt)
            return
        if request.expected_version not in {None, trial.head.version}:
            expected = request.expected_version or 0
            raise VersionConflict(request.thread_id, expected=expected, actual=trial.head.version)
        if isinstance(prepared.message, ThreadStarted) and version:
            raise ThreadExists(request.thread_id)
        try:
            after, breaches = decide(trial.thread, prepared.message)
        except RuleBroken as error:
            number = index - len(request.facts)
            inside = 0 <= number < len(request.drafts)
            raise error.within(f"messages[{number}]") if inside else error from error
        trial.position += 1
        trial.accepted.append(
            _Accepted(ready.thread, after.version, trial.position, prepared, ready.stored[index])
        )
        trial.thread = after
        facts = trial.head.facts_after(prepared.message, prepared.body)
        if facts is not trial.head.facts:
            trial.head = replace(trial.head, facts=facts)
        if breaches:
            trial.breaches += [(message_id, breach) for breach in breaches]
        if prepared.id_given:  # nobody else can have one of ours
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
        before, after = self._ledger.get(thread, {}), trial.thread.ledger
        if after is not before:
            changed = {k: entry for k, entry in after.items() if before.get(k) != entry}
            self._noted.setdefault(thread, {}).update(changed)
            self._ledger[thread] = after
        self._heads[thread] = replace(
            trial.head,  # with its chain: the links are made when the time is known
            version=trial.thread.version,
            position=trial.position,
            policy=trial.thread.policy,
            status=trial.thread.status,
            anomalies=trial.head.anomalies + len(trial.breaches),
        )
        self._position = trial.position
        self._accepted += trial.accepted
        self._places.update({(*thread, key): place for key, place in trial.places.items()})
