"""The command ask, against a scripted provider."""

import os
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentlog.infrastructure.postgres.database import Database
from tests.command_line import Outcome, agentlog, started
from tests.databases import new_database
from tests.providers.script import Answer, Call, Turn
from tests.providers.server import Fault, ScriptedProvider
from tests.waiting import WAIT_SECONDS, until

ROOT = Path(__file__).parents[6]
CLAUDE_CODE = ROOT / "tests" / "golden" / "readers" / "claude-code"
KEY = "sk-secret-0123456789"

ANSWERS = {
    "gpt-4o-mini": Answer("I will look.", [Call("get_order", {"order_id": 1042})], 1000, 100),
    "claude-sonnet-4-5": Answer("Which order?", input_tokens=200, output_tokens=10),
}


def _script(turn: Turn) -> Answer:
    return ANSWERS.get(turn.model, Answer("yes"))


@pytest.fixture(scope="module")
def url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with the examples, and an imported session of Claude Code."""
    with new_database(server_url, template=template_database) as made:
        assert agentlog("import", ROOT / "examples", url=made).code == 0
        yield made


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedProvider]:
    with ScriptedProvider(_script) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
        yield provider


def _ask(url: str, thread: str, *words: str) -> Outcome:
    return agentlog("ask", thread, *words, url=url)


def test_answers_stand_beside_the_recorded_one(url: str, provider: ScriptedProvider) -> None:
    models = ("--model", "gpt-4o-mini", "--model", "claude-sonnet-4-5")
    outcome = _ask(url, "refund@5", *models, "--json")
    assert outcome.code == 0, outcome.err
    recorded, openai, anthropic = outcome.lines
    assert recorded["source"] == "recorded"
    assert recorded["model"] == "gpt-4o"
    assert recorded["text"] == "I am sorry to hear that. Let me look at the order."
    assert recorded["usage"]["inputTokens"] == 412
    assert (recorded["costUsd"], recorded["latencyMs"]) == (0.00141, 1850.4)
    assert openai["calls"] == [
        {"id": "call_2", "name": "get_order", "arguments": {"order_id": 1042}}
    ]
    assert (openai["source"], openai["finishReason"]) == ("asked", "tool_calls")
    assert openai["costUsd"] == pytest.approx(0.00021)
    assert openai["latencyMs"] > 0
    assert (anthropic["text"], anthropic["finishReason"]) == ("Which order?", "end_turn")
    assert anthropic["usage"] == {
        "inputTokens": 200,
        "outputTokens": 10,
        "cachedInputTokens": 0,
        "cacheWriteTokens": 0,
    }
    assert [request.path for request in provider.requests] == [
        "/v1/chat/completions",
        "/v1/messages",
    ]
    assert provider.requests[0].json == {
        "messages": [
            {
                "role": "system",
                "content": "You look after orders. Money moves only when a person agrees.",
            },
            {"role": "user", "content": "Order 1042 came broken. I want my money back."},
        ],
        "model": "gpt-4o-mini",
        "max_tokens": 1024,
        "temperature": 0.2,
    }


def test_the_table_has_an_answer_a_row_the_recorded_one_first(
    url: str, provider: ScriptedProvider
) -> None:
    outcome = _ask(url, "refund@5", "--model", "gpt-4o-mini")
    assert outcome.code == 0
    rows = [
        [cell.strip() for cell in line[1:-1].split("│")]
        for line in outcome.out.splitlines()
        if line.startswith("│")
    ]
    assert [row[0] for row in rows if row[0]] == ["gpt-4o (recorded)", "gpt-4o-mini"]
    assert rows[0][1:5] == ["412", "38", "$0.001410", "1.9 s"]
    assert rows[2][1:4] == ["1000", "100", "$0.000210"]
    assert [row[-1] for row in rows] == [
        "I am sorry to hear that. Let me look at the order.",
        '→ get_order {"order_id":1042}',
        "I will look.",
        '→ get_order {"order_id": 1042}',
    ]
    assert len(provider.requests) == 1


def test_what_is_not_on_record_is_said_on_standard_error(
    url: str, provider: ScriptedProvider
) -> None:
    outcome = _ask(url, "refund@10", "--model", "claude-sonnet-4-5")
    first, second = outcome.err.splitlines()
    assert first == (
        "reconstructed from the messages up to version 9; not on record: tool definitions"
    )
    assert second == ("for Anthropic: tools without a definition take any arguments: get_order")
    (request,) = provider.requests
    assert [tool["name"] for tool in request.json["tools"]] == ["get_order"]


def test_an_imported_run_is_asked_again(url: str) -> None:
    name = ("--thread-id", "session")
    assert agentlog("import", CLAUDE_CODE / "session.jsonl", *name, url=url).code == 0
    words = ("--model", "gpt-4o-mini", "--model", "claude-sonnet-4-5", "--json")
    outcome = _ask(url, "session@10", *words)
    assert outcome.code == 0, outcome.err
    assert [line["source"] for line in outcome.lines] == ["recorded", "asked", "asked"]
    assert all(line["text"] or line["calls"] for line in outcome.lines)


def test_another_system_prompt_and_other_fields(
    url: str, provider: ScriptedProvider, tmp_path: Path
) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Be brief.")
    sets = ("--set", "temperature=0", "--set", "max_tokens=null", "--set", 'stop=["x"]')
    outcome = _ask(url, "refund@5", "--model", "m", "--system", str(prompt), *sets)
    assert outcome.code == 0
    request = provider.requests[0].json
    assert request["messages"][0] == {"role": "system", "content": "Be brief."}
    assert (request["temperature"], request["stop"]) == (0, ["x"])
    assert "max_tokens" not in request


def test_the_dialect_may_be_named(url: str, provider: ScriptedProvider) -> None:
    words = ("--upstream", f"{provider.url}/proxy", "--model", "claude-sonnet-4-5")
    assert _ask(url, "refund@5", *words).code == 0
    assert _ask(url, "refund@5", *words, "--dialect", "anthropic").code == 0
    assert [request.path for request in provider.requests] == [
        "/proxy/chat/completions",
        "/proxy/v1/messages",
    ]


def test_a_model_that_fails_leaves_the_answers_of_the_others(
    url: str, provider: ScriptedProvider
) -> None:
    provider.fail(Fault("err", 404, only=1))
    outcome = _ask(url, "refund@5", "--model", "nope", "--model", "gpt-4o-mini", "--json")
    assert outcome.code == 1
    _, failed, answered = outcome.lines
    assert failed["error"].startswith("status 404: scripted failure (check the model's name")
    assert (answered["text"], answered["error"]) == ("I will look.", None)


def test_a_refused_connection_is_an_error_of_the_row(url: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        upstream = f"http://127.0.0.1:{free.getsockname()[1]}"
        outcome = _ask(url, "refund@5", "--model", "m", "--upstream", upstream)
    assert outcome.code == 1
    assert "error: http://127.0.0.1" in outcome.out
    assert "check --upstream" in " ".join(outcome.out.replace("│", " ").split())


def test_an_answer_of_another_api_is_an_error_of_the_row(url: str) -> None:
    outcome = _ask(url, "refund@5", "--model", "m", "--set", "stream=true", "--json")
    assert outcome.code == 1
    assert "the answer cannot be read" in outcome.lines[1]["error"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["nope", "--model", "m"], "there is no thread 'nope'"),
        (["refund@99", "--model", "m"], "version 99"),
        (["refund@2x", "--model", "m"], "2x"),
        (["refund", "--model", "m", "--upstream", "localhost"], "is no address of an API"),
        (["refund", "--model", "m", "--set", "x"], "--set x: give NAME=VALUE"),
        (["refund", "--model", "m", "--system", "nope.txt"], "--system nope.txt: No such file"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_any_request(
    url: str, provider: ScriptedProvider, words: list[str], reason: str
) -> None:
    outcome = agentlog("ask", *words, url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err
    assert provider.requests == []


def test_hidden_threads_are_asked_only_when_named_so(database_url: str) -> None:
    imported = agentlog("import", ROOT / "examples" / "refund.json", url=database_url)
    (made,) = re.findall(r"imports undo (\w+)", imported.err)
    assert agentlog("imports", "undo", made, url=database_url).code == 0
    assert _ask(database_url, "refund", "--model", "m").code == 2
    assert _ask(database_url, "refund", "--model", "m", "--hidden").code == 0


def test_asking_writes_nothing(url: str, provider: ScriptedProvider) -> None:
    def position() -> Any:
        with Database(url, pool_size=1) as database, database.connection() as connection:
            return connection.execute("SELECT max(position) FROM agentlog.events").fetchone()

    before = position()
    assert _ask(url, "refund@5", "--model", "gpt-4o-mini").code == 0
    assert position() == before
    assert len(provider.requests) == 1


def test_the_key_is_sent_and_shown_nowhere(
    url: str, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTLOG_LOG_LEVEL", "debug")
    outcomes = [_ask(url, "refund@5", "--model", "m", *words) for words in ([], ["--json"])]
    provider.fail(Fault("err", 401))
    outcomes.append(_ask(url, "refund@5", "--model", "m"))
    assert [outcome.code for outcome in outcomes] == [0, 0, 1]
    sent = {request.headers["authorization"] for request in provider.requests}
    assert sent == {f"Bearer {KEY}"}
    assert all(KEY not in outcome.out + outcome.err for outcome in outcomes)
    assert "check OPENAI_API_KEY" in " ".join(outcomes[2].out.replace("│", " ").split())


def test_an_interrupt_leaves_the_answers_that_are_there(
    url: str, provider: ScriptedProvider
) -> None:
    provider.script = _script
    words = ("ask", "refund@5", "--model", "gpt-4o-mini", "--model", "slow")
    with started(*words, url=url, OPENAI_BASE_URL=f"{provider.url}/v1") as process:
        until(lambda: len(provider.requests) == 1)
        provider.fail(Fault("slow", WAIT_SECONDS))
        until(lambda: len(provider.requests) == 2)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 130
    assert "interrupted" in err
    assert "I will look." in out
