"""Which thread each exchange of a gateway belongs to."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.extensions.runs.projections.recordings.conversations import Conversations
from agentlog.extensions.runs.projections.recordings.recording import Resumed, ThreadAppend
from agentlog.projections.exchanges.exchange import RUN_TYPE, TYPE, Exchange, exchange_of
from agentlog.projections.exchanges.requests import Api
from tests.extensions.runs.projections.recordings.test_recording import Run, echo
from tests.providers.agent import Agent
from tests.providers.script import Answer, Call

LATE = 10**15


class Log:
    """Threads as a gateway's appends make them."""

    def __init__(self) -> None:
        self.threads: dict[str, list[Any]] = {}
        self.parents: dict[str, str | None] = {}
        self.unnamed: dict[str, None] = {}

    def conversations(self) -> Conversations:
        """Return conversations as a gateway that has just started has them."""
        runs = (f"run-{len(self.threads)}-{n}" for n in count())
        conversations = Conversations(self._resume, new_run=lambda: next(runs))
        for thread_id in self.unnamed:
            conversations.know(thread_id)
        return conversations

    def add(self, appends: Iterable[ThreadAppend], *, kind: str) -> None:
        for append in appends:
            self.parents.setdefault(append.thread_id, append.parent)
            known = {draft["id"] for draft in self.threads.get(append.thread_id, ())}
            assert known.isdisjoint(draft["id"] for draft in append.drafts)
            self.threads.setdefault(append.thread_id, []).extend(append.drafts)
            if kind == "unnamed" and append.parent is None:
                self.unnamed[append.thread_id] = None

    def said(self, thread_id: str) -> list[str]:
        """Return what users and models said in a thread."""
        return [m["text"] for m in self.threads[thread_id] if m["type"] in {"input", "reply"}]

    def _resume(self, thread_id: str) -> Resumed | None:
        runs = [
            m["payload"]["run"] for m in self.threads.get(thread_id, ()) if m["type"] == RUN_TYPE
        ]
        if not runs:
            return None
        below = (name for name, above in self.parents.items() if above == thread_id)
        exchanges = {
            name: [exchange_of(m["payload"]) for m in self.threads[name] if m["type"] == TYPE]
            for name in (thread_id, *below)
        }
        return Resumed(
            runs[-1],
            sum(map(len, exchanges.values())),
            [(name, sent[-1]) for name, sent in exchanges.items() if sent],
        )


def recorded(exchanges: Sequence[Exchange], *, restarts: Iterable[int] = ()) -> Log:
    """Return the log after exchanges, with restarts of the gateway before some of them.

    At a restart the exchange before is read again, as after a crash.
    """
    log = Log()
    conversations = log.conversations()
    for number, exchange in enumerate(exchanges):
        if number in restarts:
            conversations = log.conversations()
            if number:
                again = conversations.add(exchanges[number - 1], number)
                assert (again.appends, again.waits) == ([], False)
        added = conversations.add(exchange, number)
        log.add(added.appends, kind=added.kind)
    for thread_id in conversations.late(LATE):
        added = conversations.settle(thread_id)
        log.add(added.appends, kind=added.kind)
    return log


class Chat:
    """An agent that talks in turns."""

    def __init__(self, run: Run, name: str, api: Api, **more: Any) -> None:
        self.said: list[str] = []
        self._run, self._name, self._more = run, name, more
        self._agent = Agent("", api)

    def turn(self, text: str) -> None:
        number = len(self.said) // 2
        self._agent.say(text)
        answer = f"{self._name} answers {number}"
        whole = self._run.ask(self._agent, Answer(answer), **self._more)
        self._agent.items += echo(self._agent.api, whole)
        self.said += [text, answer]


@given(
    apis=st.lists(st.sampled_from(get_args(Api)), min_size=1, max_size=4),
    turns=st.lists(st.integers(0, 3), min_size=1, max_size=12),
    restarts=st.sets(st.integers(0, 12), max_size=3),
)
def test_each_of_many_equal_agents_has_a_thread_of_its_own(
    apis: list[Api], turns: list[int], restarts: set[int]
) -> None:
    run = Run()
    chats = [Chat(run, f"agent {n}", api) for n, api in enumerate(apis)]
    for n in turns:
        chat = chats[n % len(chats)]
        chat.turn(f"say {len(chat.said)}")
    log = recorded(run.exchanges, restarts=restarts)
    said = sorted(log.said(thread_id) for thread_id in log.threads)
    assert said == sorted(chat.said for chat in chats if chat.said)


@given(
    turns=st.lists(
        st.tuples(st.sampled_from("ab"), st.booleans(), st.sampled_from([None, "key 1", "key 2"])),
        min_size=1,
        max_size=8,
    )
)
def test_what_an_exchange_adds_names_who_sent_it(
    turns: list[tuple[str, bool, str | None]],
) -> None:
    run = Run()
    for name, *_ in turns:
        Chat(run, name, "messages", session=name).turn("the same")
    authors = [author for *_, author in turns]
    exchanges = [
        replace(
            exchange,
            author=author,
            started_at=number,
            agent=f"worker of {name}" if is_worker else None,
        )
        for number, (exchange, (name, is_worker, author)) in enumerate(
            zip(run.exchanges, turns, strict=True)
        )
    ]
    conversations = Log().conversations()
    appends = [a for n, exchange in enumerate(exchanges) for a in conversations.add(exchange, n)[2]]
    for thread_id in conversations.late(None):
        appends += conversations.settle(thread_id).appends
    sent = [
        (append.author, draft["payload"]["startedAt"])
        for append in appends
        for draft in append.drafts
        if draft["type"] == TYPE
    ]
    assert len(sent) == len(turns)
    assert {number: author for author, number in sent} == dict(enumerate(authors))
    begun = [append for append in appends if append.drafts[0]["type"] == RUN_TYPE]
    assert {append.author for append in begun} <= {*authors}


@given(
    names=st.lists(st.sampled_from("ab"), min_size=1, max_size=8),
    restarts=st.sets(st.integers(0, 8), max_size=3),
)
def test_a_session_is_a_thread(names: list[str], restarts: set[int]) -> None:
    run = Run()
    chats = {name: Chat(run, name, "messages", session=name) for name in "ab"}
    for name in names:
        chats[name].turn("the same")
    log = recorded(run.exchanges, restarts=restarts)
    for name in set(names):
        assert log.said(f"gateway-{name}") == chats[name].said


def test_a_thread_is_the_one_that_the_client_asks_for() -> None:
    run = Run()
    chat = Chat(run, "a", "chat")
    chat.turn("hello")
    (exchange,) = run.exchanges
    log = recorded([replace(exchange, thread="porto", session="s")])
    assert list(log.threads) == ["porto"]
    assert log.said("porto") == chat.said


@given(
    tools=st.lists(st.booleans(), min_size=1, max_size=5),
    restarts=st.sets(st.integers(0, 5), max_size=3),
)
def test_a_thread_that_says_what_it_has_goes_on_by_itself(
    tools: list[bool], restarts: set[int]
) -> None:
    """Whatever its requests offer, and though the provider gets its items in another form."""
    run, items, said = Run(), [{"role": "user", "content": "of the thread"}], []
    exchanges = []
    for number, has_tools in enumerate(tools):
        agent = Agent("", "responses")
        agent.items = [*items, {"role": "user", "content": f"ask {number}"}]
        body = {**agent.body(), "instructions": f"prompt {number // 2}"}
        if not has_tools:
            del body["tools"]
        run.ask(agent, Answer(f"answer {number}"), body=body)
        exchanges.append(replace(run.exchanges[-1], thread="t", known=len(items)))
        items = [*agent.items, {"role": "assistant", "content": f"answer {number}"}]
        said += [f"ask {number}", f"answer {number}"]
    log = recorded(exchanges, restarts=restarts)
    assert list(log.threads) == ["t"]
    assert log.said("t") == said
    prompts = [message for message in log.threads["t"] if message["type"] == "system"]
    assert [prompt["text"] for prompt in prompts] == [
        f"prompt {number}" for number in range((len(tools) + 1) // 2)
    ]
    assert all(prompt["metadata"] == {"besideItems": "instructions"} for prompt in prompts)


@pytest.mark.parametrize("given_as", ["conv_1", {"id": "conv_1"}])
def test_a_conversation_of_responses_is_a_thread(given_as: Any) -> None:
    run, agent = Run(), Agent("", "responses")
    for n in range(2):
        agent.items[:] = [{"role": "user", "content": f"say {n}"}]
        run.ask(agent, Answer(f"{n}"), body={**agent.body(), "conversation": given_as})
    log = recorded(run.exchanges)
    assert log.said("gateway-conv_1")[:2] == ["say 0", "0"]


def test_a_previous_response_is_in_the_thread_that_got_it() -> None:
    run, agent = Run(), Agent("", "responses")
    previous = None
    for n in range(3):
        agent.items[:] = [{"role": "user", "content": f"say {n}"}]
        more: dict[str, Any] = {} if previous is None else {"previous_response_id": previous}
        previous = run.ask(agent, Answer(f"{n}"), body={**agent.body(), **more})["id"]
    log = recorded(run.exchanges, restarts=[1, 2])
    (thread_id,) = log.threads
    assert log.said(thread_id) == ["say 0", "0", "say 1", "1", "say 2", "2"]


def test_a_retry_is_in_the_thread_of_what_failed() -> None:
    run, agent = Run(), Agent("", "chat")
    agent.say("do it")
    run.ask(agent, None)
    run.ask(agent, Answer("yes"))
    log = recorded(run.exchanges, restarts=[1])
    (thread_id,) = log.threads
    assert log.said(thread_id) == ["do it", "yes"]


def test_a_call_for_a_title_that_comes_first_is_below_its_session() -> None:
    run, agent = Run(), Agent("", "messages")
    agent.say("do it")
    run.ask(agent, Answer("A title"), body={**agent.body(), "tools": []}, session="s")
    run.ask(agent, Answer(calls=[Call("read", {})]), session="s")
    log = recorded(run.exchanges)
    assert log.said("gateway-s") == ["do it"]
    assert log.said("gateway-s-2") == ["do it", "A title"]


def test_a_session_without_tools_is_there_before_long() -> None:
    run = Run()
    Chat(run, "a", "messages", session="s")
    agent = Agent("", "messages")
    agent.say("do it")
    run.ask(agent, Answer("yes"), body={**agent.body(), "tools": []}, session="s")
    conversations = Log().conversations()
    added = conversations.add(run.exchanges[0], 0)
    assert (added.appends, added.waits) == ([], True)
    assert conversations.late(9_000) == []
    (thread_id,) = conversations.late(10_000)
    settled = conversations.settle(thread_id)
    assert [append.thread_id for append in settled.appends] == ["gateway-s"] * 2


def test_requests_that_ask_no_model_are_in_a_thread_of_the_day() -> None:
    exchange = Exchange(1, "GET", "/v1/models", b"", "complete", 1_764_000_000_000, status=200)
    log = recorded([exchange, replace(exchange, started_at=exchange.started_at + 1)])
    assert list(log.threads) == ["gateway-other-2025-11-24"]


@pytest.mark.parametrize("name", ["a b", "é" * 200, "..", "x" * 200])
def test_any_name_is_the_name_of_a_thread(name: str) -> None:
    run = Run()
    chat = Chat(run, "a", "messages", session=name)
    chat.turn("hello")
    (thread_id,) = recorded(run.exchanges).threads
    assert thread_id.startswith("gateway-")
    assert len(thread_id) <= 128


def test_silent_conversations_are_forgotten_and_resumed_by_name() -> None:
    run = Run()
    first = Chat(run, "first", "messages", session="first")
    first.turn("hello")
    for n in range(1001):
        Chat(run, f"{n}", "messages", session=f"{n}").turn("hello")
    first.turn("and again")
    log = Log()
    conversations = log.conversations()
    for number, exchange in enumerate(run.exchanges):
        added = conversations.add(exchange, number)
        log.add(added.appends, kind=added.kind)
    assert log.said("gateway-first") == first.said
