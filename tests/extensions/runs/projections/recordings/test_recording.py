"""From exchanges to the messages of threads."""

import json
from collections.abc import Iterable
from typing import Any, get_args

import pytest

from agentlog.extensions.runs.projections.recordings.recording import (
    Recording,
    Resumed,
    ThreadAppend,
)
from agentlog.extensions.runs.projections.tapes.changes import Changes
from agentlog.projections.exchanges.exchange import RUN_TYPE, TYPE, Exchange, exchange_of
from agentlog.projections.exchanges.lanes import REWRITTEN_TYPE
from agentlog.projections.exchanges.reconstruction import frozen_call
from agentlog.projections.exchanges.requests import Api
from agentlog.projections.views.request import REQUEST_TYPE
from tests.histories import history
from tests.providers.agent import Agent
from tests.providers.dialects import dialect_of, sse
from tests.providers.script import Answer, Call, turn_of

SAID = {"input", "reply", "tool_calls", "tool_results", "system", "llm_request", "llm_response"}


class Run:
    """Requests of agents, answered by a script, as exchanges of one run."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    def ask(
        self,
        agent: Agent,
        answer: Answer | None,
        *,
        session: str | None = None,
        sub_agent: str | None = None,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Add an exchange, and return the whole answer; None refuses it with a 500."""
        path, sent = agent.path, body or agent.body()
        dialect = dialect_of(path.partition("?")[0])
        turn = turn_of(sent, None)
        whole = None if answer is None else dialect.whole(turn, answer)
        error = {"error": {"message": "overloaded"}}
        text, kind = json.dumps(error if whole is None else whole).encode(), "application/json"
        if whole is not None and agent.stream:
            text, kind = b"".join(map(sse, dialect.events(turn, whole))), "text/event-stream"
        self.exchanges.append(
            Exchange(
                attempt=len(self.exchanges) + 1,
                method="POST",
                path=path,
                request=json.dumps(sent).encode(),
                end="complete",
                started_at=1000 * len(self.exchanges),
                duration_ms=10.0,
                status=500 if whole is None else 200,
                headers={"content-type": kind},
                response=text,
                session=session,
                agent=sub_agent,
            )
        )
        return whole

    def recorded(self) -> dict[str, list[Any]]:
        """Return the messages of each thread."""
        recording = Recording("run", "main", {"cwd": "/here"})
        appends: list[ThreadAppend] = []
        for exchange in self.exchanges:
            appends += recording.add(exchange)
        appends += recording.finish()
        threads: dict[str, list[Any]] = {}
        for append in appends:
            threads.setdefault(append.thread_id, []).extend(append.drafts)
        return threads


def types(messages: Iterable[Any]) -> list[str]:
    return [str(message["type"]) for message in messages]


def echo(api: Api, whole: Any) -> list[Any]:
    """Return an answer as the client sends it back."""
    if api == "chat":
        return [whole["choices"][0]["message"]]
    if api == "responses":
        return [{**item, "id": f"new-{n}"} for n, item in enumerate(whole["output"])]
    if api == "gemini":
        parts = whole["candidates"][0]["content"]["parts"]
        for n, call in enumerate(part["functionCall"] for part in parts if "functionCall" in part):
            call.setdefault("id", f"{whole['responseId']}-{n}")  # as Gemini CLI does
        return [{"role": "model", "parts": parts}]
    return [{"role": "assistant", "content": whole["content"]}]


@pytest.mark.parametrize("api", get_args(Api))
@pytest.mark.parametrize("stream", [False, True])
def test_only_what_is_new_becomes_messages(api: Api, *, stream: bool) -> None:
    run, agent = Run(), Agent("", api, stream=stream)
    agent.say("do it")
    for n in range(3):
        whole = run.ask(agent, Answer(f"step {n}"))
        agent.items += echo(api, whole)
        agent.say(f"go on {n}")
    messages = run.recorded()["main"]
    assert types(messages) == [
        *(RUN_TYPE, REQUEST_TYPE, "system", "input", "llm_request", TYPE, "llm_response", "reply"),
        *("input", "llm_request", TYPE, "llm_response", "reply"),
        *("input", "llm_request", TYPE, "llm_response", "reply"),
    ]
    said = [message["text"] for message in messages if message["type"] in {"input", "reply"}]
    assert said == ["do it", "step 0", "go on 0", "step 1", "go on 1", "step 2"]
    assert len({message["id"] for message in messages}) == len(messages)


@pytest.mark.parametrize("api", get_args(Api))
def test_a_system_prompt_that_changes_is_added_alone(api: Api) -> None:
    run, agent = Run(), Agent("", api)
    agent.say("do it")
    whole = run.ask(agent, Answer("yes"))
    agent.items += echo(api, whole)
    agent.say("more")
    run.ask(agent, Answer("well"), body=Changes(system="Be bold.").changed(api, agent.body()))
    messages = run.recorded()["main"]
    said = [message["text"] for message in messages if "text" in message]
    assert said == ["Be careful.", "do it", "yes", "Be bold.", "more", "well"]


def test_a_moved_cache_mark_and_a_text_as_a_block_change_nothing() -> None:
    run, agent = Run(), Agent("", "messages")
    block = {"type": "text", "text": "do it", "cache_control": {"type": "ephemeral"}}
    agent.items.append({"role": "user", "content": [block]})
    whole = run.ask(agent, Answer("yes"))
    agent.items[:] = [{"role": "user", "content": "do it"}, *echo("messages", whole)]
    agent.say("more")
    run.ask(agent, Answer("well"))
    messages = run.recorded()["main"]
    assert types(messages).count("input") == 2
    assert types(messages).count("system") == 1


def test_each_attempt_is_on_record_and_a_retry_repeats_no_message() -> None:
    run, agent = Run(), Agent("", "chat")
    agent.say("do it")
    run.ask(agent, None)
    run.ask(agent, Answer("yes"))
    messages = run.recorded()["main"]
    assert types(messages) == [
        *(RUN_TYPE, REQUEST_TYPE, "system", "input", "llm_request", TYPE, "runtime_error"),
        *("llm_request", TYPE, "llm_response", "reply"),
    ]
    assert messages[6]["error"] == "status 500: overloaded"


def test_a_conversation_that_was_rewritten_says_so() -> None:
    run, agent = Run(), Agent("", "messages")
    agent.items += [{"role": "user", "content": "a long task"}]
    whole = run.ask(agent, Answer("yes"), session="s")
    agent.items += [*echo("messages", whole), {"role": "user", "content": "more"}]
    run.ask(agent, Answer("well"), session="s")
    agent.items[:] = [{"role": "user", "content": "summary: a long task, more"}]
    run.ask(agent, Answer("on it"), session="s")
    (rewritten,) = [m for m in run.recorded()["main"] if m["type"] == REWRITTEN_TYPE]
    assert rewritten["payload"] == {"kept": 0, "leftOut": 3}


def test_a_sub_agent_is_a_thread_below_its_own() -> None:
    run, agent = Run(), Agent("", "messages")
    agent.items += [{"role": "user", "content": "do it"}]
    run.ask(agent, Answer(calls=[Call("Agent", {})]), session="s")
    below = Agent("", "messages")
    below.items += [{"role": "user", "content": "a part of it"}]
    run.ask(below, Answer("done"), session="s", sub_agent="a-1")
    threads = run.recorded()
    assert list(threads) == ["main", "main-2"]
    spawned = threads["main"][-1]
    assert (spawned["type"], spawned["threadId"]) == ("worker_spawned", "main-2")


def test_a_call_for_a_title_is_a_thread_of_its_own() -> None:
    run, agent = Run(), Agent("", "messages")
    agent.items += [{"role": "user", "content": "do it"}]
    run.ask(agent, Answer("A title"), body={**agent.body(), "tools": []}, session="s")
    run.ask(agent, Answer("done"), session="s")
    threads = run.recorded()
    assert {name: types(messages)[-1] for name, messages in threads.items()} == {
        "main": "reply",
        "main-2": "reply",
    }
    assert threads["main-2"][-1]["text"] == "A title"


def test_a_previous_response_is_the_beginning_of_its_request() -> None:
    run, agent = Run(), Agent("", "responses")
    agent.items += [{"role": "user", "content": "do it"}]
    whole = run.ask(agent, Answer("yes"))
    agent.items[:] = [{"role": "user", "content": "more"}]
    run.ask(agent, Answer("well"), body={**agent.body(), "previous_response_id": whole["id"]})
    messages = run.recorded()["main"]
    said = [message["text"] for message in messages if message["type"] in {"input", "reply"}]
    assert said == ["do it", "yes", "more", "well"]


def test_requests_at_once_are_threads_by_their_first_message() -> None:
    run = Run()
    for n in range(30):
        agent = Agent("", "chat")
        agent.items.append({"role": "user", "content": f"document {n}"})
        run.ask(agent, Answer(f"about {n}"))
    threads = run.recorded()
    assert len(threads) == 30
    for messages in threads.values():
        said = [m["text"] for m in messages if m["type"] in {"input", "reply"}]
        assert said[0].removeprefix("document ") == said[1].removeprefix("about ")


def a_long_run() -> Run:
    """Return a run with a title, retries, a sub-agent, a rewritten conversation, and all APIs."""
    run, agent = Run(), Agent("", "messages")
    agent.items += [{"role": "user", "content": "do it"}]
    run.ask(agent, Answer("A title"), body={**agent.body(), "tools": []}, session="s")
    whole = run.ask(agent, Answer(calls=[Call("Agent", {})]), session="s")
    below = Agent("", "messages", stream=True)
    below.items += [{"role": "user", "content": "a part of it"}]
    run.ask(below, None, session="s", sub_agent="a-1")
    part = run.ask(below, Answer("done"), session="s", sub_agent="a-1")
    below.items += [*echo("messages", part), {"role": "user", "content": "and more"}]
    run.ask(below, Answer("done too"), session="s", sub_agent="a-1")
    agent.items += [*echo("messages", whole), {"role": "user", "content": "more"}]
    run.ask(agent, Answer("well"), session="s")
    run.ask(agent, Answer("well"), body=Changes(system="Bold.").changed("messages", agent.body()))
    agent.items[:] = [{"role": "user", "content": "summary: do it, more"}]
    run.ask(agent, Answer("on it"), session="s")
    for api in ("chat", "responses"):
        other = Agent("", api)
        for n in range(2):
            other.items.append({"role": "user", "content": f"{api} {n}"})
            other.items += echo(api, run.ask(other, Answer(f"answer {n}")))
    return run


def resumed(appends: Iterable[ThreadAppend]) -> Resumed:
    """Return what a log with these appends has of a run."""
    last: dict[str, Any] = {}
    exchanges = 0
    for append in appends:
        for draft in append.drafts:
            if draft["type"] == TYPE:
                exchanges += 1
                last[append.thread_id] = exchange_of(draft["payload"])
    return Resumed("run", exchanges, list(last.items()))


def test_a_run_goes_on_after_any_exchange_as_if_it_had_not_stopped() -> None:
    exchanges = a_long_run().exchanges
    recording = Recording("run", "main", {}, waits=False)
    appends = [[*recording.add(exchange)] for exchange in exchanges]
    assert len({append.thread_id for added in appends for append in added}) == 6
    for cut in range(1, len(exchanges)):
        again = Recording("another", "main", {}, waits=False)
        again.resume(resumed(append for added in appends[:cut] for append in added))
        assert [[*again.add(exchange)] for exchange in exchanges[cut:]] == appends[cut:]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"messages": 5}',
        b'{"messages": [5, {"role": "tool"}]}',
        b"\xff\x00",
        b'{"messages": [{"role": 1}]}',
    ],
)
def test_any_request_is_on_record(body: bytes) -> None:
    run = Run()
    run.exchanges.append(Exchange(1, "POST", "/v1/messages", body, "client_left", 5))
    run.exchanges.append(Exchange(2, "HEAD", "/", b"", "complete", 6, status=200))
    messages = run.recorded()["main"]
    assert types(messages).count(TYPE) == 2


def test_a_recorded_call_is_asked_again_as_it_was_sent() -> None:
    run, agent = Run(), Agent("", "chat", stream=True)
    agent.items.append({"role": "user", "content": [{"type": "text", "text": "do it"}]})
    sent = {**agent.body(), "temperature": 0.5, "seed": 7}
    run.ask(agent, Answer("yes"), body=sent)
    events = history(*run.recorded()["main"])
    call = frozen_call(events, events[-1].version)
    assert (call.source, list(call.missing)) == ("recorded", [])
    assert call.request == {k: v for k, v in sent.items() if k not in {"stream", "user"}}
    assert call.answer is not None
    assert call.answer.answer(None).text == "yes"
