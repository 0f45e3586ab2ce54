"""The rules that write: starts, appends, retries, conflicts, facts, and restarts between them."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from agentlog.infrastructure.appending.append_request import Appended
from tests.reliability.drawn import (
    expectations,
    facts,
    flawed,
    notes,
    numbers,
    perhaps_none,
    some,
    threads,
    who,
)
from tests.reliability.model import Content
from tests.reliability.twins import Process, Twins


class Writes(Twins):
    """Whatever a caller may want to record."""

    @rule(index=who, thread_id=threads, started=facts)
    def start(self, index: int, thread_id: str, started: Content) -> None:
        def do() -> Appended:
            return self.threads[index].start(thread_id, started)

        self.both(do, self.key(index, thread_id), facts=[{"type": "thread.started", **started}])

    @rule(index=who, thread_id=threads, drafts=some, expected=expectations)
    def append(self, index: int, thread_id: str, drafts: Any, expected: int | None) -> None:
        self.send(index, thread_id, drafts, expected)

    @rule(index=who, thread_id=threads, drafts=flawed)
    def append_what_is_no_message(self, index: int, thread_id: str, drafts: Any) -> None:
        self.send(index, thread_id, drafts, None)

    @precondition(lambda self: any(thread.answered for thread in self.model.threads.values()))
    @rule(index=who, number=numbers, approved=st.booleans())
    def answer_what_is_open(self, index: int, number: int, approved: bool) -> None:  # noqa: FBT001
        thread = self.pick(self.model.threads_of(self.tenants[index]), number)
        if thread is None:
            return
        drafts: list[Content] = [
            {"type": "tool_results", "results": [{"callId": call_id, "output": number}]}
            for call_id in thread.open("call")
        ]
        drafts += [
            {"type": "approval_response", "callId": call_id, "approved": approved}
            for call_id in thread.open("approval")
        ]
        drafts += [
            {"type": "worker_result", "workerId": worker_id, "output": None}
            for worker_id in thread.open("worker")
        ]
        if drafts:
            self.send(index, thread.key[1], drafts, 0)

    @rule(
        index=who,
        number=numbers,
        count=st.integers(1, 4),
        with_time=st.booleans(),
        more=perhaps_none,
        expected=expectations,
    )
    def retry(  # noqa: PLR0913, PLR0917 - what rules draw
        self,
        index: int,
        number: int,
        count: int,
        with_time: bool,  # noqa: FBT001
        more: list[Content],
        expected: int | None,
    ) -> None:
        """Send again what is there, and perhaps something new after it."""
        sent = self.sent_before(index, number, count)
        if sent:
            drafts = [
                {k: v for k, v in sent_event.body.items() if with_time or k != "timestamp"}
                for sent_event in sent
            ]
            self.send(index, sent[0].thread[1], [*drafts, *more], expected)

    @rule(index=who, number=numbers, count=st.integers(1, 3), first=perhaps_none)
    def send_other_content_under_an_id_that_is_taken(
        self, index: int, number: int, count: int, first: list[Content]
    ) -> None:
        sent = self.sent_before(index, number, count)
        if sent:
            *same, last = [sent_event.body for sent_event in sent]
            other = {"type": "log", "text": f"other than {number}", "id": last["id"]}
            self.send(index, sent[0].thread[1], [*first, *same, other], None)

    @rule(
        index=who,
        parts=st.lists(
            st.tuples(threads, some | flawed | st.just([]), st.none() | facts, st.booleans()),
            min_size=1,
            max_size=5,
        ),
    )
    def append_many(self, index: int, parts: Any) -> None:
        """Hand in requests for many threads, some of them twice: each counts by itself."""
        requests, wanted = [], []
        threads = self.threads[index]
        for thread_id, drafts, started, closed in parts:
            begin = [] if started is None else [{"type": "thread.started", **started}]
            end: list[Content] = [{"type": "thread.closed", "reason": "done"}] if closed else []
            requests.append(threads.request(thread_id, drafts, facts=begin, closing=end))
            wanted.append((self.key(index, thread_id), drafts, begin, end))
        outcomes = threads.append_many(requests)
        assert len(outcomes) == len(requests)
        touched = set()
        for outcome, (key, drafts, begin, end) in zip(outcomes, wanted, strict=True):
            expected = self.modelled(key, drafts, facts=begin, closing=end)
            self.compare(outcome, expected)
            touched.add(key)
        self.settle(touched)

    @rule(index=who, thread_id=threads, reason=st.sampled_from([None, "done", "gone"]))
    def close(self, index: int, thread_id: str, reason: str | None) -> None:
        fact = {"type": "thread.closed", **({} if reason is None else {"reason": reason})}
        self.both(
            lambda: self.threads[index].close(thread_id, reason),
            self.key(index, thread_id),
            closing=[fact],
            known=True,
        )

    @rule(index=who, thread_id=threads, metadata=notes)
    def annotate(self, index: int, thread_id: str, metadata: Content) -> None:
        self.both(
            lambda: self.threads[index].annotate(thread_id, metadata),
            self.key(index, thread_id),
            facts=[{"type": "thread.annotated", "metadata": metadata}],
            known=True,
        )

    @rule(index=who, number=numbers, count=st.integers(0, 3), reason=st.sampled_from(["a", "b"]))
    def redact(self, index: int, number: int, count: int, reason: str) -> None:
        """Erase some messages of a thread, or all that it has."""
        thread = self.pick(self.model.threads_of(self.tenants[index]), number)
        named = [str(sent_event.id) for sent_event in self.sent_before(index, number, count)]
        if thread is None or (count and not named):
            return
        ids = named if count else None
        key, now = thread.key, self.clock.now
        done = self.redactors[index].redact(key[1], ids, reason)
        version, replayed = self.model.redact(key, ids, reason=reason, now=now)
        assert (done.version, done.replayed) == (version, replayed)
        fact = thread.events[version - 1]
        assert done.position == fact.position
        if not replayed:
            (stored, *_) = self.threads[index].messages(key[1], after=version - 1)
            fact.id = stored.message_id
            fact.content["left"] = stored.raw["left"]  # which the audit compares with what is left
        self.settle({key})

    @rule(index=st.integers(0, 1))
    def restart(self, index: int) -> None:
        """End a process, and start another that knows nothing yet."""
        self.processes[index].database.close()
        self.processes[index] = Process.started(self, index)

    @rule(milliseconds=st.integers(-5, 5_000))
    def pass_time(self, milliseconds: int) -> None:
        self.clock.now += milliseconds
