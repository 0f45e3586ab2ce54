"""The writer: the one place through which every append passes.

It prepares (checks, completes, prints) outside the transaction, and decides inside it, in the
order the requests came, each against its thread as the requests before it left it. A refused
request takes nothing with it: the others of its batch are written.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from domain.drafts import Prepared, prepare, prepare_fact
from domain.errors import (
    AgentlogError,
    EmptyAppend,
    Flaw,
    InvalidMessage,
    MessageConflict,
    RuleBroken,
    ThreadExists,
    VersionConflict,
)
from domain.facts import ThreadStarted
from domain.identifiers import check_thread_id, derived_message_id
from domain.json_text import JsonValue
from domain.threads import Breach, Entry, Key, decide, mentions
from infrastructure.database import Database
from infrastructure.heads import Head
from infrastructure.log import LogTransaction, NewEvent, Place, ThreadKey, chained, log_transaction


@dataclass(frozen=True, slots=True)
class AppendRequest:
    """What a caller wants to append to one thread, all or nothing.

    `drafts` are messages as JSON; `facts` of the thread come before them, `closing` ones after.
    `expected_version` is what the caller believes the thread's version to be.
    """

    tenant: str
    thread_id: str
    drafts: Sequence[JsonValue] = ()
    facts: Sequence[dict[str, JsonValue]] = ()
    expected_version: int | None = None
    closing: Sequence[dict[str, JsonValue]] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where a message stands; `replayed` says it stood there before this append."""

    id: str
    version: int
    position: int
    replayed: bool


@dataclass(frozen=True, slots=True)
class Appended:
    """The thread after an append; `breaches` are (message id, rule broken), under policy record."""

    thread_id: str
    version: int
    position: int
    messages: tuple[Receipt, ...]
    breaches: tuple[tuple[str, Breach], ...] = ()


Outcome = Appended | AgentlogError


class Writer:
    """Appends to the log; any number of threads may call it.

    `clock` returns milliseconds since the epoch, `new_id` a fresh ULID.
    """

    def __init__(
        self, database: Database, *, clock: Callable[[], int], new_id: Callable[[], str]
    ) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id

    def append(self, request: AppendRequest) -> Appended:
        """Append one request durably; raises what refuses it."""
        (outcome,) = self.append_many([request])
        if isinstance(outcome, AgentlogError):
            raise outcome
        return outcome

    def append_many(self, requests: Sequence[AppendRequest]) -> list[Outcome]:
        """Append a batch in one transaction; return what came of each request, in order."""
        tried = [self._prepare(request) for request in requests]
        ready = [each for each in tried if isinstance(each, _Ready)]
        if not ready:
            return [each for each in tried if isinstance(each, AgentlogError)]
        with self._database.connection() as connection, log_transaction(connection) as log:
            batch = _Batch(log, ready)
            decided = iter([batch.decide(each) for each in ready])
            batch.write()
        return [each if isinstance(each, AgentlogError) else next(decided) for each in tried]

    def _prepare(self, request: AppendRequest) -> "_Ready | AgentlogError":
        try:
            check_thread_id(request.thread_id)
            if not (request.drafts or request.facts or request.closing):
                raise EmptyAppend
            now = self._clock()
            prepared = [
                *self._prepare_facts(request, request.facts, now),
                *self._prepare_drafts(request.drafts, now),
                *self._prepare_facts(request, request.closing, now),
            ]
            return _Ready(request, prepared)
        except AgentlogError as error:
            return error

    def _prepare_facts(
        self, request: AppendRequest, facts: Sequence[dict[str, JsonValue]], now: int
    ) -> list[Prepared]:
        return [
            prepare_fact(fact, message_id=self._fact_id(request, fact), timestamp=now)
            for fact in facts
        ]

    def _prepare_drafts(self, drafts: Sequence[JsonValue], now: int) -> list[Prepared]:
        prepared: list[Prepared] = []
        flaws: list[Flaw] = []
        for index, draft in enumerate(drafts):
            try:
                prepared.append(prepare(draft, message_id=self._new_id(), timestamp=now))
            except InvalidMessage as error:
                flaws += error.within(f"messages[{index}]").flaws
        if flaws:
            raise InvalidMessage(flaws)
        return prepared

    def _fact_id(self, request: AppendRequest, fact: Mapping[str, JsonValue]) -> str:
        """A thread starts and closes once: their facts have ids that a retry finds again."""
        kind = fact.get("type")
        if kind in {"thread.started", "thread.closed"}:
            return derived_message_id(request.tenant, request.thread_id, str(kind))
        return self._new_id()


@dataclass(frozen=True, slots=True)
class _Ready:
    request: AppendRequest
    prepared: Sequence[Prepared]

    @property
    def thread(self) -> ThreadKey:
        return self.request.tenant, self.request.thread_id


@dataclass(slots=True)
class _Trial:
    """One request being decided: nothing of it counts until all of it passed."""

    head: Head
    ledger: dict[Key, Entry]
    position: int
    events: list[NewEvent] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    breaches: list[tuple[str, Breach]] = field(default_factory=list)


class _Batch:
    """The requests of one transaction, and the threads as these leave them."""

    def __init__(self, log: LogTransaction, ready: Sequence[_Ready]) -> None:
        self._log = log
        self._position = log.ticket.position
        self._heads = log.heads(list({each.thread: None for each in ready}))
        self._ledger = log.ledger(
            list(
                {
                    (each.thread, key): None
                    for each in ready
                    for prepared in each.prepared
                    for key in mentions(prepared.message)
                }
            )
        )
        self._places = log.places(
            [
                (*each.thread, prepared.message.id)
                for each in ready
                for prepared in each.prepared
                if prepared.id_given
            ]
        )
        self._events: list[NewEvent] = []
        self._moved: dict[ThreadKey, None] = {}
        self._noted: dict[ThreadKey, dict[Key, Entry]] = {}

    def decide(self, ready: _Ready) -> Outcome:
        """Decide one request against its thread as it stands in this batch."""
        trial = _Trial(
            head=self._heads[ready.thread],
            ledger=dict(self._ledger.get(ready.thread, {})),
            position=self._position,
        )
        try:
            for index, prepared in enumerate(ready.prepared):
                self._take(trial, ready.request, index, prepared)
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

    def write(self) -> None:
        """Write what passed."""
        if self._events:
            heads = [self._heads[key] for key in self._moved]
            self._log.append(self._events, heads, self._noted)

    def _take(self, trial: _Trial, request: AppendRequest, index: int, prepared: Prepared) -> None:
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
        if request.expected_version not in {None, head.version - len(trial.events)}:
            raise VersionConflict(
                head.thread_id,
                expected=request.expected_version or 0,
                actual=head.version - len(trial.events),
            )
        if isinstance(prepared.message, ThreadStarted) and head.version:
            raise ThreadExists(head.thread_id)
        thread = replace(head.thread, ledger=trial.ledger)
        try:
            after, breaches = decide(thread, prepared.message)
        except RuleBroken as error:
            number = index - len(request.facts)
            inside = 0 <= number < len(request.drafts)
            raise error.within(f"messages[{number}]") if inside else error from error
        trial.position += 1
        event = chained(
            head.chain,
            self._log.ticket,
            tenant=head.tenant,
            thread_id=head.thread_id,
            version=after.version,
            position=trial.position,
            type_name=prepared.message.type,
            message_id=prepared.message.id,
            body=prepared.body,
            body_digest=prepared.body_digest,
            metadata=prepared.metadata,
        )
        trial.events.append(event)
        trial.ledger = dict(after.ledger)
        trial.head = replace(
            head.after(prepared.message, prepared.body),
            version=after.version,
            position=event.position,
            chain=event.chain,
            policy=after.policy,
            status=after.status,
            anomalies=head.anomalies + len(breaches),
        )
        trial.breaches += [(event.message_id, breach) for breach in breaches]
        trial.places[event.message_id] = Place(event.version, event.position, event.body_digest)
        trial.receipts.append(
            Receipt(event.message_id, event.version, event.position, replayed=False)
        )

    def _refuse_other_content(self, trial: _Trial, prepared: Prepared, known: Place) -> None:
        if prepared.body_digest == known.body_digest:
            return
        pending = [*self._events, *trial.events]
        stored = next(
            (event.body for event in pending if event.position == known.position), None
        ) or self._log.body(trial.head.tenant, trial.head.thread_id, known.version)
        if prepared.same_content(stored):
            return
        if isinstance(prepared.message, ThreadStarted):
            raise ThreadExists(trial.head.thread_id)
        raise MessageConflict(trial.head.thread_id, prepared.message.id, version=known.version)

    def _accept(self, thread: ThreadKey, trial: _Trial) -> None:
        if not trial.events:
            return
        before = self._ledger.get(thread, {})
        changed = {key: entry for key, entry in trial.ledger.items() if before.get(key) != entry}
        self._noted.setdefault(thread, {}).update(changed)
        self._ledger[thread] = trial.ledger
        self._heads[thread] = trial.head
        self._moved[thread] = None
        self._position = trial.position
        self._events += trial.events
        self._places.update({(*thread, key): place for key, place in trial.places.items()})
