"""Everything done twice: to stores on PostgreSQL, in processes of their own, and to the model."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant
from typing_extensions import override

from agentlog.domain.errors import AgentlogError, RuleBroken
from agentlog.domain.events import Event
from agentlog.domain.points_in_time import AtTime, Moment
from agentlog.infrastructure.appending.append_request import Appended
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.subscriptions.hub import Hub
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import State
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import AnyView
from agentlog.projections.view import StateView, render
from tests.infrastructure.appends import Clock, Ids, last_position
from tests.infrastructure.precomputed import precompute
from tests.reliability.comparing import event_of, expected_of, printed_items, time_of, told, view_of
from tests.reliability.drawn import ViewChoice
from tests.reliability.model import (
    Answered,
    Content,
    KnownThread,
    Model,
    Recorded,
    RefusedError,
    ThreadKey,
    printed,
)
from tests.waiting import WAIT_SECONDS


@dataclass
class Ground:
    """What outlives a run: a database, its listener, and how many runs there were."""

    url: str
    database: Database
    listener: Listener
    runs: int = 0
    steps: int = 0
    refusals: dict[str, int] = field(default_factory=dict)


@dataclass
class Process:
    """What a process of the service has: connections, and threads and views of each tenant."""

    database: Database
    threads: Sequence[Threads]
    views: Sequence[Views]

    @classmethod
    def started(cls, machine: "Twins", index: int) -> "Process":
        database = Database(machine.ground.url, pool_size=2, in_role=True)
        database.open()
        writer = Writer(database, clock=machine.clock, new_id=machine.ids)
        threads, views = [], []
        for tenant in machine.tenants[index::2]:
            confined = database.confined(tenant)
            reader = LogReader(confined, tenant=tenant, searched=database)
            blobs = Blobs(confined, tenant=tenant)
            threads.append(Threads(reader=reader, writer=writer, blobs=blobs, tenant=tenant))
            interval = 3 if index else 10_000
            snapshots = Snapshots(confined, tenant=tenant, key=b"key", interval=interval, share=10)
            views.append(Views(reader, tenant=tenant, snapshots=snapshots))
        return cls(database, threads, views)


class Twins(RuleBasedStateMachine):
    """The stores and the model, and how they are held against each other."""

    ground: Ground

    @initialize()
    def begin(self) -> None:
        ground = self.ground
        ground.runs += 1
        self.database = ground.database
        self.tenants = [f"ours-{ground.runs}"] * 2 + [f"strangers-{ground.runs}"]
        self.clock, self.ids = Clock(), Ids()
        self.processes = [Process.started(self, index) for index in (0, 1)]
        self.model = Model(last_position(self.database))
        self.cursors: dict[str, list[int]] = {tenant: [self.model.base] for tenant in self.tenants}
        self.hub = Hub(LogReader(self.database, tenant=self.tenants[0]), ground.listener)
        self.hub.start()

    @override
    def teardown(self) -> None:
        if not hasattr(self, "hub"):
            return
        self.hub.close()
        for process in self.processes:
            process.database.close()
        for tenant in set(self.tenants):
            auditor = Auditor(self.database, tenant=tenant)
            assert all(audit.whole for _, audit in auditor.log())

    @property
    def threads(self) -> list[Threads]:
        """Ours, the same in another process that has snapshots, and a stranger's in the first."""
        first, second = self.processes
        return [first.threads[0], second.threads[0], first.threads[1]]

    @property
    def views(self) -> list[Views]:
        """The views of each of the threads."""
        first, second = self.processes
        return [first.views[0], second.views[0], first.views[1]]

    @property
    def redactors(self) -> list[Redactor]:
        """What erases from each of the threads."""
        return [
            Redactor(
                process.database.confined(tenant),
                threads,
                Eraser(process.database, threads.writer),
                tenant=tenant,
                discard=partial(self.discard, tenant),
            )
            for process, threads, tenant in zip(
                (self.processes[0], self.processes[1], self.processes[0]),
                self.threads,
                self.tenants,
                strict=True,
            )
        ]

    def discard(self, tenant: str, thread_id: str) -> None:
        """Have all processes discard, as the watch of each does once it is told."""
        for process in self.processes:
            for views in process.views:
                views.recent.discard((tenant, thread_id))
        self.hub.discard()

    def key(self, index: int, thread_id: str) -> ThreadKey:
        return self.tenants[index], thread_id

    def pick(self, among: Sequence[Any], number: int) -> Any:
        return among[number % len(among)] if among else None

    def sent_before(self, index: int, number: int, count: int) -> list[Recorded]:
        """Return messages that follow each other in a thread."""
        thread = self.pick(self.model.threads_of(self.tenants[index]), number)
        sent = [] if thread is None else thread.events
        begin = number % max(1, len(sent))
        return [
            sent_event for sent_event in sent[begin:] if not sent_event.type.startswith("thread.")
        ][:count]

    def send(self, index: int, thread_id: str, drafts: Any, expected: int | None) -> None:
        key = self.key(index, thread_id)
        thread = self.model.threads.get(key)
        version = None if expected is None else expected + (len(thread.events) if thread else 0)
        threads = self.threads[index]
        self.both(
            lambda: threads.append(thread_id, drafts, expected_version=version),
            key,
            drafts=drafts,
            expected=version,
        )

    def both(self, do: Callable[[], Appended], key: ThreadKey, **asked: Any) -> None:
        """Do it to the store and to the model: they answer or refuse alike."""
        outcome: Appended | AgentlogError
        try:
            outcome = do()
        except AgentlogError as error:
            outcome = error
        self.compare(outcome, self.modelled(key, asked.pop("drafts", ()), **asked))
        self.settle({key})

    def modelled(
        self, key: ThreadKey, drafts: Sequence[Any], *, known: bool = False, **asked: Any
    ) -> Answered | RefusedError:
        if known and key not in self.model.threads:
            return RefusedError("UnknownThread")
        try:
            return self.model.append(key, drafts, now=self.clock.now, **asked)
        except RefusedError as error:
            return error

    def compare(self, outcome: Appended | AgentlogError, wanted: Answered | RefusedError) -> None:
        if isinstance(outcome, AgentlogError):
            assert isinstance(wanted, RefusedError), outcome
            assert type(outcome).__name__ == wanted.name, outcome
            assert not isinstance(outcome, RuleBroken) or outcome.rule == wanted.rule
            word = wanted.rule or wanted.name
            self.ground.refusals[word] = self.ground.refusals.get(word, 0) + 1
            return
        assert isinstance(wanted, Answered), wanted
        for receipt, message in zip(outcome.messages, wanted.messages, strict=True):
            message.id = message.id or receipt.id  # what the store chose, from then on
            assert (receipt.id, receipt.version, receipt.position) == (
                message.id,
                message.version,
                message.position,
            )
        assert [receipt.replayed for receipt in outcome.messages] == list(wanted.replayed)
        assert [breach.rule for _, breach in outcome.breaches] == list(wanted.breaches)
        last = wanted.thread.events[-1]
        assert (outcome.version, outcome.position) == (last.version, last.position)

    def settle(self, touched: set[ThreadKey]) -> None:
        """See what was written: it is what the model has, and the chains hold."""
        for tenant in set(self.tenants):
            unseen = [
                recorded for recorded in self.model.of(tenant) if recorded.recorded_at is None
            ]
            events = LogReader(self.database, tenant=tenant).log(
                after=unseen[0].position - 1 if unseen else self.model.position
            )
            assert told(events) == expected_of(unseen)
            for known, event in zip(unseen, events, strict=True):
                known.recorded_at = event.recorded_at
        times = [time_of(recorded) for recorded in self.model.log]
        assert times == sorted(times)
        for key in touched & set(self.model.threads):
            audit = Auditor(self.database, tenant=key[0]).thread(key[1])
            assert audit.whole, audit.findings
            assert audit.events == len(self.model.threads[key].events)

    def check_view(
        self,
        index: int,
        thread: KnownThread,
        upto: Sequence[Recorded],
        view: ViewChoice,
        moment: Moment,
    ) -> None:
        chosen = view_of(view)
        if index == 1:
            precompute(self.views[index], thread.key[1], chosen)
        result = self.views[index].view(thread.key[1], chosen, at=moment)
        assert (result.version, result.position) == (len(upto), upto[-1].position if upto else None)
        if isinstance(result, State):
            assert isinstance(chosen, StateView)
            state = chosen.state(render(chosen, map(event_of, upto)).carry)
            assert printed(result.state) == printed(state)
        else:
            shown = [placed.item for placed in result.items]
            assert printed_items(shown) == printed_items(self.items(upto, chosen))

    def items(self, upto: Sequence[Recorded], view: AnyView) -> list[Content]:
        """Return a view's items: the kernel's are the bodies themselves, others a fold of them."""
        if view.name != "kernel":
            return [placed.item for placed in render(view, map(event_of, upto)).items]
        with_metadata = view.options.metadata
        return [
            {**event.body, "metadata": event.metadata}
            if with_metadata and event.metadata
            else event.body
            for event in upto
            if not event.type.startswith("thread.")
        ]

    def just_before(self, index: int, thread: KnownThread, event: Recorded) -> None:
        moment = AtTime(time_of(event) - timedelta(microseconds=1))
        version = self.threads[index].version_at(thread.key[1], moment)
        assert version == len(
            [recorded for recorded in thread.events if time_of(recorded) < time_of(event)]
        )

    def heard(self, begin: int, limit: int) -> list[Event]:
        """Return what a follower of the hub hears beyond a place, until the log's end."""
        own = self.model.of(self.tenants[0])
        last = own[-1].position if own else self.model.base
        events: list[Event] = []
        place = begin
        while place < last:
            entries = self.hub.log_after(place, limit=limit)
            if entries is None:  # it has discarded what was erased, and all with it
                events += self.hub.reader.log(after=place, limit=limit)
            else:
                events += [entry.event for entry in entries]
            place = events[-1].position or 0 if events else place
            if entries is not None and not entries:
                self.wait()
        return events

    def wait(self) -> None:
        rung = threading.Event()
        detach = self.hub.attach(lambda _: rung.set())
        try:
            own = self.model.of(self.tenants[0])
            if self.hub.position < own[-1].position:
                assert rung.wait(WAIT_SECONDS)
        finally:
            detach()

    @invariant()
    def heads_are_as_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        self.ground.steps += 1
        assert last_position(self.database) == self.model.position
        for index in (0, 1, 2):
            own = self.model.threads_of(self.tenants[index])
            heads = self.threads[index].heads(ThreadFilter(), before=None, limit=100)
            assert [
                (head.thread_id, head.version, head.position, head.policy, head.status)
                for head in heads
            ] == [
                (
                    known.key[1],
                    len(known.events),
                    known.events[-1].position,
                    known.policy,
                    known.status,
                )
                for known in own
            ]
            assert [head.anomalies for head in heads] == [known.anomalies for known in own]
            assert [printed(head.read_facts()) for head in heads] == [
                printed(known.facts) for known in own
            ]
