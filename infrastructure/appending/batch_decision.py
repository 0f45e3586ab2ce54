"""Decides the requests of one commit, in order, each against its thread.

Each request sees its thread as the requests before it leave it, so two appends to one thread in a
batch both count. A refused request does not affect the others.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from domain.catalogue import FACT_TYPES
from domain.drafts import Prepared
from domain.errors import (
    AgentlogError,
    MessageConflict,
    RuleBroken,
    ThreadExists,
    VersionConflict,
)
from domain.facts import ThreadStarted
from domain.integrity.hash_chain import time_in_link
from domain.threads import Entry, Key, mentions
from infrastructure.appending.append_request import (
    Appended,
    Outcome,
    Ready,
    Receipt,
    ThreadKey,
)
from infrastructure.appending.commit_plan import Changes, Ground, Lone, NewEvent, Place, Wanted
from infrastructure.appending.decision import Accepted, Standing, Trial
from infrastructure.eventlog.thread_heads import Head, facts_after

StoredBody = Callable[[str, str, int], bytes]
"""Returns an event's stored bytes; called with tenant, thread id and version."""


def wanted_by(ready: Sequence[Ready], *, again: bool) -> Wanted:
    """Return what must be read to decide these requests.

    `again`: an earlier try may have been committed, so generated ids may exist too.
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
    """The requests of one commit, and the threads as they leave them."""

    def __init__(self, ground: Ground, stored_body: StoredBody) -> None:
        self._stored_body = stored_body
        self._position = ground.position
        self._standings = {
            key: Standing(
                head.thread,
                head.position,
                head.anomalies,
                head.facts,
            )
            for key, head in ground.heads.items()
        }
        self._places: dict[ThreadKey, dict[str, Place]] = {}
        for (tenant, thread_id, message_id), place in ground.places.items():
            self._places.setdefault((tenant, thread_id), {})[message_id] = place
        self._ledgers = {key: dict(entries) for key, entries in ground.ledger.items()}
        self._accepted: list[Accepted] = []
        self._heads = dict(ground.heads)
        self._taken = 0
        self._noted: dict[ThreadKey, dict[Key, Entry]] = {}

    def __len__(self) -> int:
        """Return the number of accepted events that `changes` has not returned yet."""
        return len(self._accepted) - self._taken

    def decide(self, ready: Ready) -> Outcome:
        """Decide one request against its thread as it stands in this batch."""
        standing = self._standings[ready.thread]
        trial = Trial(
            standing,
            self._places.get(ready.thread, {}),
            self._ledgers.get(ready.thread, {}),
            self._position,
            standing.thread,
            standing.facts,
        )
        try:
            for index, prepared in enumerate(ready.prepared):
                self._take(trial, ready, index, prepared)
        except AgentlogError as error:
            return error.detached()
        if trial.accepted:
            standing = self._accept(ready.thread, trial)
        return Appended(
            ready.request.thread_id,
            standing.thread.version,
            standing.position,
            tuple(trial.receipts),
            tuple(trial.breaches),
        )

    def changes(self, recorded_at: datetime) -> Changes:
        """Return the changes accepted since the last call, with that time and their links."""
        accepted, noted = self._passed()
        heads = self._heads
        chains = {each.thread: heads[each.thread].chain for each in accepted}
        events = []
        time = time_in_link(recorded_at)
        for each in accepted:
            event = each.event(chains[each.thread]).linked_at(time)
            chains[each.thread] = event.chain
            events.append(event)
        moved = {key: self._head(key, chain) for key, chain in chains.items()}
        heads.update(moved)
        return Changes(recorded_at, events, list(moved.values()), noted)

    def unlinked(self) -> Changes:
        """Return all accepted changes, without time and links, which PostgreSQL computes."""
        accepted, noted = self._passed()
        latest: dict[ThreadKey, int] = {}
        events: list[NewEvent] = []
        follows: list[int | None] = []
        for number, each in enumerate(accepted, 1):
            before = latest.get(each.thread)
            follows.append(before)
            events.append(each.event(b"" if before else self._heads[each.thread].chain))
            latest[each.thread] = number
        heads = [self._head(key, self._heads[key].chain) for key in latest]
        return Changes(None, events, heads, noted, follows)

    def _passed(self) -> tuple[Sequence[Accepted], dict[ThreadKey, dict[Key, Entry]]]:
        accepted, self._taken = self._accepted[self._taken :], len(self._accepted)
        noted, self._noted = self._noted, {}
        return accepted, noted

    def lone(self) -> Lone | None:
        """Return the accepted change if it is one message of an existing thread, else None.

        It has at most one ledger entry, no fact of the thread, and no content cut out.
        """
        if len(self._accepted) != 1:
            return None
        (only,) = self._accepted
        key, entries = only.thread, self._noted.get(only.thread, {})
        is_fact = only.prepared.message.type in FACT_TYPES
        if only.version == 1 or is_fact or only.stored.blobs or len(entries) > 1:
            return None
        head = self._head(key, self._heads[key].chain)
        notes = [(key, about, entry) for about, entry in entries.items()]
        return Lone.of(only.event(head.chain), head, notes)

    def _take(self, trial: Trial, ready: Ready, index: int, prepared: Prepared) -> None:
        request, message = ready.request, prepared.message
        message_id, before = message.id, trial.thread
        known = trial.own_places.get(message_id) or trial.places.get(message_id)
        if known is not None:
            self._refuse_other_content(trial, ready, prepared, known)
            receipt = Receipt(message_id, known.version, known.position, replayed=True)
            trial.receipts.append(receipt)
            return
        expected, actual = request.expected_version, trial.before.thread.version
        if expected is not None and expected != actual:
            raise VersionConflict(request.thread_id, expected=expected, actual=actual)
        is_fact = message.type in FACT_TYPES
        if is_fact and isinstance(message, ThreadStarted) and before.version:
            raise ThreadExists(request.thread_id)
        try:
            after, breaches = trial.decide(message)
        except RuleBroken as error:
            number = index - len(request.facts)
            inside = 0 <= number < len(request.drafts)
            raise error.within(f"messages[{number}]") if inside else error from error
        trial.position = position = trial.position + 1
        trial.thread, version = after, after.version
        trial.accepted.append(
            Accepted(ready.thread, version, position, prepared, ready.stored[index])
        )
        if is_fact:
            trial.facts = facts_after(trial.facts, message, prepared.body)
        if breaches:
            trial.breaches += [(message_id, breach) for breach in breaches]
        if prepared.id_given:  # generated ids are unique
            trial.own_places[message_id] = Place(version, position, prepared.body_digest)
        trial.receipts.append(Receipt(message_id, version, position, replayed=False))

    def _refuse_other_content(
        self, trial: Trial, ready: Ready, prepared: Prepared, known: Place
    ) -> None:
        if prepared.body_digest == known.body_digest:
            return
        pending = [*self._accepted, *trial.accepted]
        stored = next(
            (each.prepared.body for each in pending if each.position == known.position), None
        ) or self._stored_body(*ready.thread, known.version)
        if prepared.same_content(stored):
            return
        if isinstance(prepared.message, ThreadStarted):
            raise ThreadExists(ready.request.thread_id)
        raise MessageConflict(ready.request.thread_id, prepared.message.id, version=known.version)

    def _accept(self, key: ThreadKey, trial: Trial) -> Standing:
        if trial.noted:
            self._noted.setdefault(key, {}).update(trial.noted)
            self._ledgers.setdefault(key, {}).update(trial.noted)
        standing = self._standings[key] = Standing(
            trial.thread,
            trial.position,
            trial.before.anomalies + len(trial.breaches),
            trial.facts,
        )
        self._position = trial.position
        self._accepted += trial.accepted
        if trial.own_places:
            self._places.setdefault(key, {}).update(trial.own_places)
        return standing

    def _head(self, key: ThreadKey, chain: bytes) -> Head:
        """Return the head of a thread after this batch."""
        before = self._heads[key]
        (_, version, policy, status, _), position, anomalies, facts = self._standings[key]
        return Head(
            *key,
            version,
            position,
            chain,
            policy,
            status,
            anomalies,
            facts,
            before.started_at,
            before.updated_at,
        )
