"""Of what is erased in a recorded run nothing is left: in exchanges, sub-threads and forks."""

import itertools
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, get_args

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.domain.messages import CustomMessage
from agentlog.domain.points_in_time import AtVersion
from agentlog.extensions.runs.projections.recordings.recording import Recording
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.exchanges.exchange import REPLAY_TYPE, TYPE, Exchange, exchange_of
from agentlog.projections.exchanges.lanes import drafts_of
from agentlog.projections.exchanges.requests import Api
from agentlog.projections.readmodels.registry import READ_MODELS
from agentlog.projections.registry import choose_view
from tests.databases import new_database
from tests.extensions.runs.projections.recordings.test_recording import Run, echo
from tests.histories import examples
from tests.infrastructure.appends import TENANT, Clock, Ids
from tests.infrastructure.erasure.conftest import everything, redactor_on, threads_on
from tests.infrastructure.precomputed import precompute
from tests.infrastructure.readmodels.tables import catch_up
from tests.providers.agent import Agent
from tests.providers.script import Answer, Call

APIS = get_args(Api)
SHAPES = ("{}", 'say "{}"\n\\ ü\u2028', "{} " + "long " * 200, '{{"name": "{}"}}', "[{}]")
"""Spellings that differ in JSON, in JSON inside a text, and in what is cut out of a body."""
STEPS = ("talk", "tool", "agent", "retry", "compact")
MAIN, FORK = "main", "fork"


@dataclass
class Told:
    """A run of an agent whose every text has a word of its own."""

    api: Api
    stream: bool
    shapes: Iterator[str]
    steps: list[str]
    fork: int | None
    """Which attempt of its own thread is forked, if any."""
    run: Run = field(default_factory=Run)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def text(self) -> str:
        """Return a text that no other has."""
        return next(self.shapes).format(f"zq{next(self._numbers):04d}x")

    def tell(self) -> None:
        """Let the agent work: a call for a title, then the steps, then a last word."""
        agent = Agent("", self.api, stream=self.stream)
        agent.say(self.text())
        title = {key: value for key, value in agent.body().items() if key != "tools"}
        self.run.ask(agent, Answer("A title"), session="s", body=title)
        for step in self.steps:
            if step == "retry":
                self._ask(agent, None)
            elif step == "compact":
                _, *kept = agent.items
                agent.items = []
                agent.say(self.text())
                agent.items += kept
            elif step == "talk":
                agent.items += self._said(agent, Answer(self.text()))
                agent.say(self.text())
            else:
                self._use(agent, step)
        self._said(agent, Answer(self.text()))

    def _use(self, agent: Agent, step: str) -> None:
        asked = self.text()
        call = Call("Agent" if step == "agent" else "shell", {"command": asked, "n": 1})
        whole = self._ask(agent, Answer(calls=[call]))
        agent.items += echo(self.api, whole)
        result = self.text()
        if step == "agent":
            sub = Agent("", self.api, stream=self.stream)
            sub.say(asked)
            self.run.ask(sub, Answer(result), session="s", sub_agent=f"a{len(agent.items)}")
        agent.items.append(_result(self.api, whole, result))

    def _said(self, agent: Agent, answer: Answer) -> list[Any]:
        return echo(self.api, self._ask(agent, answer))

    def _ask(self, agent: Agent, answer: Answer | None) -> Any:
        return self.run.ask(agent, answer, session="s", body=_marked(agent))


def _marked(agent: Agent) -> Any:
    """Return a request as Claude Code sends it: the last message has a mark, in a block."""
    body = agent.body()
    if agent.api == "messages":
        *before, last = body["messages"]
        content = last["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        marked = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
        body["messages"] = [*before, {**last, "content": [*blocks[:-1], marked]}]
    return body


def _result(api: Api, whole: Any, output: str) -> Any:
    if api == "chat":
        (call,) = whole["choices"][0]["message"]["tool_calls"]
        return {"role": "tool", "tool_call_id": call["id"], "content": output}
    if api == "responses":
        call_id = whole["output"][-1]["call_id"]
        return {"type": "function_call_output", "call_id": call_id, "output": output}
    if api == "gemini":
        call = whole["candidates"][0]["content"]["parts"][-1]["functionCall"]
        answer = {"name": call["name"], "id": call["id"], "response": {"output": output}}
        return {"role": "user", "parts": [{"functionResponse": answer}]}
    block = {"type": "tool_result", "tool_use_id": whole["content"][-1]["id"], "content": output}
    return {"role": "user", "content": [block]}


@dataclass
class Log:
    """A log with a recorded run, and all that is derived from it."""

    database: Database
    threads: Threads
    redactor: Redactor

    def record(self, name: str, thread: str, exchanges: list[Exchange], fork: JsonObject) -> None:
        recording = Recording(name, thread, {"cwd": "/here"}, fork=fork)
        appends = [append for exchange in exchanges for append in recording.add(exchange)]
        started = {thread} if fork else set()
        for append in [*appends, *recording.finish()]:
            if append.thread_id not in started:
                parent = {} if append.parent is None else {"parent": append.parent}
                self.threads.start(append.thread_id, {"policy": "record", **parent})
                started.add(append.thread_id)
            self.threads.append(append.thread_id, append.drafts)

    def fork(self, exchanges: list[Exchange], attempt: int) -> None:
        """Fork the run before an attempt of its own thread, and run the rest of it again."""
        first = self.threads.message(MAIN, derived_message_id("run", attempt, 0))
        ids = Ids()
        forker = Forker(
            self.database,
            self.database,
            LogReader(self.database, tenant=TENANT),
            Eraser(self.database, self.threads.writer),
            tenant=TENANT,
            clock=Clock(),
            new_id=lambda: "2" + ids()[1:],
        )
        forker.fork(MAIN, AtVersion(first.version - 1), as_thread=FORK)
        taped = [
            replace(exchange, replayed="exact") if exchange.attempt < attempt else exchange
            for exchange in exchanges
        ]
        said = self.threads.messages(MAIN, types=["input"])[0].raw["text"]
        changes: JsonObject = {"results": {"call_1": said}}
        self.record("again", FORK, taped, {"origin": {"threadId": MAIN}, "changes": changes})
        report: JsonObject = {"unmatched": [{"recorded": said, "asked": said}]}
        self.threads.append(FORK, [{"type": REPLAY_TYPE, "payload": report}])

    def events(self) -> list[Event]:
        ids = self.threads.thread_ids(limit=100)
        return [event for thread in ids for event in self.threads.messages(thread)]

    def derive(self) -> None:
        for model in READ_MODELS.values():
            catch_up(self.database, model, most_events=500)
        snapshots = Snapshots(self.database, tenant=TENANT, key=b"key", interval=5, share=100)
        views = Views(LogReader(self.database, tenant=TENANT), tenant=TENANT, snapshots=snapshots)
        for thread in self.threads.thread_ids(limit=100):
            precompute(views, thread, choose_view("agent-state", {}), choose_view("openai", {}))


@contextmanager
def recorded(url: str, template: str, told: Told) -> Iterator[Log]:
    told.tell()
    with new_database(url, template=template) as own, Database(own, pool_size=2) as database:
        threads = threads_on(database)
        log = Log(database, threads, redactor_on(database, threads))
        log.record("run", MAIN, told.run.exchanges, {})
        if told.fork is not None:
            tried = [
                attempt
                for exchange in told.run.exchanges
                if exchange.agent is None and (attempt := exchange.attempt) > 1
            ]
            log.fork(told.run.exchanges, tried[told.fork % len(tried)])
        log.derive()
        yield log


def words_of(text: str) -> set[str]:
    return {text[at : at + 7] for at in range(len(text)) if text.startswith("zq", at)}


def said_in(event: Event) -> set[str]:
    """Return the words of an event, those of an exchange as it is read."""
    message = event.message
    if event.type == TYPE and isinstance(message, CustomMessage) and message.payload is not None:
        exchange = exchange_of(message.payload)
        return words_of(print_text([exchange.body, exchange.answer, drafts_of(exchange)]))
    return words_of(event.body.decode())


def is_gone(log: Log, words: set[str]) -> None:
    assert words
    left = everything(log.database)
    assert not [word for word in words if word in left]
    assert not [event for event in log.events() if words & said_in(event)]
    auditor = Auditor(log.database, tenant=TENANT)
    assert {audit.verdict for _, audit in auditor.log()} == {"whole"}


runs = st.builds(
    Told,
    st.sampled_from(APIS),
    st.booleans(),
    st.lists(st.sampled_from(SHAPES), min_size=1, max_size=4).map(itertools.cycle),
    st.lists(st.sampled_from(STEPS), min_size=1, max_size=5),
    st.none() | st.integers(0, 5),
)


@drawn(runs, st.data())
@examples(12)
def test_of_a_message_nothing_is_left(
    server_url: str,
    template_with_tables: str,
    run: Told,
    data: st.DataObject,
) -> None:
    with recorded(server_url, template_with_tables, run) as log:
        before = log.events()
        said = [
            event
            for event in before
            if not event.type.startswith(("agentlog.", "thread.")) and said_in(event)
        ]
        chosen = data.draw(st.sampled_from([e for e in said if not e.thread_id.startswith(FORK)]))
        words = said_in(chosen)
        held = {
            (e.thread_id, e.message_id) for e in before if e.type == TYPE and words & said_in(e)
        }
        done = log.redactor.redact(chosen.thread_id, [chosen.message_id], "asked for")
        is_gone(log, words)
        # and nothing else went
        after = {(e.thread_id, e.message_id): e.redacted for e in log.events()}
        exchanges = [e for e in before if e.type == TYPE]
        assert held == {key for e in exchanges if after[key := (e.thread_id, e.message_id)]}
        assert done.exchanges == len(held)
        others = [e for e in said if after[e.thread_id, e.message_id] and e != chosen]
        assert all(words & said_in(event) for event in others)
        again = log.redactor.redact(chosen.thread_id, [chosen.message_id], "asked for")
        assert again == replace(done, replayed=True)


@drawn(runs, st.data())
@examples(8)
def test_of_a_thread_nothing_is_left(
    server_url: str,
    template_with_tables: str,
    run: Told,
    data: st.DataObject,
) -> None:
    with recorded(server_url, template_with_tables, run) as log:
        threads = log.threads.thread_ids(limit=100)
        thread = data.draw(st.sampled_from([name for name in threads if not name.startswith(FORK)]))
        own = [e for e in log.threads.messages(thread) if not e.type.startswith("agentlog.")]
        log.redactor.redact(thread, None, "asked for")
        is_gone(log, set().union(*map(said_in, own)))


def told(*steps: str, api: Api = "chat", fork: int | None = None) -> Told:
    return Told(api, False, itertools.repeat("{}"), [*steps], fork)  # noqa: FBT003 - no stream


class PowerCut(Exception):
    """The process is gone."""


@pytest.mark.parametrize("place", range(12))
def test_a_process_that_dies_at_any_place_leaves_it_to_the_next(
    server_url: str, template_with_tables: str, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    with recorded(server_url, template_with_tables, told("agent", "talk", fork=1)) as log:
        (chosen,) = log.threads.messages(MAIN, types=["tool_calls"])
        words = said_in(chosen)
        steps = itertools.count()
        with monkeypatch.context() as patched:
            for kind, name in ((Writer, "append"), (Eraser, "_carry_out")):
                patched.setattr(kind, name, dying(getattr(kind, name), steps, place))
            with suppress(PowerCut):
                log.redactor.redact(MAIN, [chosen.message_id], "asked for")
        eraser = Eraser(log.database, log.threads.writer)
        eraser.finish_all()
        if place:  # it is on record
            is_gone(log, words)
        done = log.redactor.redact(MAIN, [chosen.message_id], "asked for")
        assert (done.exchanges, done.replayed) == (7, place > 0)
        is_gone(log, words)
        assert eraser.finish_all() == 0


def dying(step: Callable[..., Any], steps: Iterator[int], place: int) -> Callable[..., Any]:
    def step_or_die(*asked: Any) -> Any:
        if next(steps) == place:
            raise PowerCut
        return step(*asked)

    return step_or_die


def test_two_threads_of_a_run_that_both_wait_follow_into_each_other(
    server_url: str, template_with_tables: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recorded(server_url, template_with_tables, told("agent", "talk")) as log:
        (call,) = log.threads.messages(MAIN, types=["tool_calls"])
        (answer,) = log.threads.messages(f"{MAIN}-3", types=["reply"])
        eraser = Eraser(log.database, log.threads.writer)
        with monkeypatch.context() as patched:
            patched.setattr(Eraser, "finish", lambda *_: 0)
            for event in (call, answer):
                ids: list[JsonValue] = [event.message_id]
                fact: JsonObject = {"type": "thread.redacted", "messages": ids, "reason": "why"}
                eraser.redact(TENANT, event.thread_id, fact)
        assert eraser.finish_all() > 0
        is_gone(log, said_in(call) | said_in(answer))


def test_a_file_goes_from_exchanges_and_leaves_the_text_beside_it(
    server_url: str, template_with_tables: str
) -> None:
    data = b64encode(b"zq0000x is in a picture" * 100).decode()
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    run, agent = told(), Agent("", "chat")
    agent.items = [{"role": "user", "content": [{"type": "text", "text": "what is it?"}, image]}]
    run.tell = lambda: run.run.ask(agent, Answer("a picture"))  # type: ignore[method-assign]
    with recorded(server_url, template_with_tables, run) as log:
        assert data[:500] in str([event.body for event in log.events()])
        (files,) = log.redactor.redact_file(sha256(b64decode(data)).hexdigest(), "a face").threads
        assert (files.events, files.exchanges, files.others) == (1, 1, 0)
        left = str([event.body for event in log.events()])
        assert data[:500] not in left
        assert "what is it?" in left
