"""Recorded agents that go on live from a point: forks, and what is on record of them."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.text import parse
from tests.command_line import AGENTLOG, agentlog, started
from tests.extensions.runs.api.cli.recording.test_record import agent, fork_run, record, replay
from tests.providers.script import Answer, ShellCalls, Turn
from tests.providers.server import ScriptedProvider
from tests.waiting import WAIT_SECONDS, until


@dataclass
class Recorded:
    """A run of an agent in thread `run`: two calls of a tool, then an answer."""

    url: str
    settings: dict[str, str]
    provider: ScriptedProvider
    command: list[str]

    def answers(self, thread: str = "run") -> list[int]:
        """Return the versions of the calls and replies of a thread."""
        lines = agentlog("show", thread, "--json", url=self.url).lines
        return [line["version"] for line in lines if line.get("type") in {"tool_calls", "reply"}]

    def fork(self, *words: str, thread: str = "run") -> tuple[int, Any, str]:
        """Replay into a fork; return exit code, the JSON line, and what was said."""
        self.provider.requests.clear()
        code, out, err = fork_run(
            self.url, self.settings, thread, "--json", "--yes", *words, "--", *self.command
        )
        texts = [line[line.index("{") :] for line in out.splitlines() if "{" in line]
        lines = [parse(text.encode()) for text in texts]
        return code, lines[0] if lines else None, err

    def view(self, thread: str) -> list[Any]:
        return agentlog("view", thread, "openai", url=self.url).lines


@pytest.fixture(
    name="recorded",
    params=[
        "chat",
        pytest.param("responses", marks=pytest.mark.slow),
        "messages",
        pytest.param("gemini", marks=pytest.mark.slow),
    ],
)
def _recorded(
    request: pytest.FixtureRequest, database_url: str, tmp_path: Path
) -> Iterator[Recorded]:
    yield from _recording(request.param, database_url, tmp_path)


@pytest.fixture(name="chat")
def _chat(database_url: str, tmp_path: Path) -> Iterator[Recorded]:
    yield from _recording("chat", database_url, tmp_path)


def _recording(api: str, url: str, tmp_path: Path) -> Iterator[Recorded]:
    with ScriptedProvider() as provider:
        settings = {
            "OPENAI_BASE_URL": f"{provider.url}/v1",
            "OPENAI_API_BASE": f"{provider.url}/v1",
            "ANTHROPIC_BASE_URL": provider.url,
            "GOOGLE_GEMINI_BASE_URL": provider.url,
            "AGENTLOG_SPOOL_DIR": str(tmp_path / "spool"),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        command = agent(api, stream=api in {"messages", "gemini"})
        code, _, err = record(url, settings, "--thread", "run", "--", *command)
        assert code == 0, err
        yield Recorded(url, settings, provider, command)


def roles(items: Sequence[Any]) -> list[str]:
    return [item["role"] for item in items]


def test_a_fork_goes_on_live_at_each_answer(recorded: Recorded) -> None:
    origin = recorded.view("run")
    for place, version in enumerate(recorded.answers()):
        name = f"fork-{place}"
        code, line, err = recorded.fork("--from", str(version), "--model", "model-2", "--as", name)
        assert code == 0, err
        assert (line["exact"], line["liveCalls"]) == (place, 3 - place)
        models = [request.model for request in recorded.provider.requests]
        assert models == ["model-2"] * (3 - place)
        items = recorded.view(name)
        assert roles(items) == roles(origin)
        assert items[-1]["content"] == "Done after 2 calls."
        (state,) = agentlog("view", name, "request", url=recorded.url).lines
        assert state["model"] == "model-2"
        # the fork is replayed by the same command, and nothing is asked
        code, _, err = replay(recorded.url, recorded.settings, name, "--", *recorded.command)
        assert code == 0, err
        assert "3 exact; live calls: 0" in err
    assert agentlog("verify", url=recorded.url).code == 0
    assert len(agentlog("forks", "run", "--json", url=recorded.url).lines) == 4
    assert list(Path(recorded.settings["AGENTLOG_SPOOL_DIR"]).iterdir()) == []


def test_an_answer_of_a_file_is_given_once(recorded: Recorded, tmp_path: Path) -> None:
    given = tmp_path / "answer.json"
    given.write_text('{"text": "I stop here."}')
    second = str(recorded.answers()[1])
    code, line, err = recorded.fork("--from", second, "--answer", str(given), "--as", "fork")
    assert code == 0, err
    assert (line["exact"], line["given"], line["liveCalls"]) == (1, 1, 0)
    assert recorded.provider.requests == []
    assert recorded.view("fork")[-1] == {"role": "assistant", "content": "I stop here."}


def test_a_result_and_a_system_prompt_are_changed_from_there_on(
    recorded: Recorded, tmp_path: Path
) -> None:
    (tmp_path / "result").write_text("it is snowing")
    (tmp_path / "system").write_text("Be bold.")
    calls = [item["tool_calls"][0]["id"] for item in recorded.view("run") if "tool_calls" in item]
    code, _, err = recorded.fork(
        *("--from", str(recorded.answers()[1]), "--as", "fork"),
        *("--result", f"{calls[0]}={tmp_path / 'result'}", "--system", str(tmp_path / "system")),
        *("--set", "/temperature=0.5"),
    )
    assert code == 0, err
    for request in recorded.provider.requests:
        text = request.body.decode()
        assert "it is snowing" in text
        assert "Be bold." in text
        assert "Be careful." not in text
        assert request.json["temperature"] == 0.5
    contents = [item["content"] for item in recorded.view("fork")]
    assert contents.count("it is snowing") == 1
    assert contents.count("Be bold.") == 1
    code, _, err = replay(recorded.url, recorded.settings, "fork", "--", *recorded.command)
    assert code == 0, err


def test_a_fork_says_how_each_answer_was_found_and_which_messages_it_is(
    chat: Recorded, tmp_path: Path
) -> None:
    given = tmp_path / "answer.json"
    given.write_text('{"text": "I stop here."}')
    third = str(chat.answers()[2])
    assert chat.fork("--from", third, "--model", "model-2", "--as", "one")[0] == 0
    chat.settings["AGENT_RAN"] = "ran again"
    code, line, err = chat.fork("--as", "two", thread="one")
    assert code == 0, err
    assert [answer["by"] for answer in line["answers"]] == ["exact", "outputs", "outputs"]
    assert (line["answers"][1]["place"], line["answers"][1]["attempt"]) == ("items[3]", 2)
    assert "ran" in line["answers"][1]["recorded"]
    assert "ran again" in line["answers"][1]["asked"]
    events = agentlog("show", "two", "--json", url=chat.url).lines[1:]
    types = {event["message"]["id"]: event["type"] for event in events}
    first, second = (
        event["message"]["payload"] for event in events if event["type"] == "agentlog.replay"
    )
    assert [answer["by"] for answer in first["answers"]] == ["exact", "exact", "live"]
    for payload in (first, second):
        for answer, last in zip(
            payload["answers"], ["tool_calls", "tool_calls", "reply"], strict=True
        ):
            kinds = [types[message_id] for message_id in answer["messages"]]
            assert (kinds[0], kinds[-1]) == ("agentlog.exchange", last)
    final = chat.answers("two")[-1]
    code, line, _ = chat.fork("--from", str(final), "--answer", str(given), thread="two")
    assert [answer["by"] for answer in line["answers"]] == ["exact", "outputs", "given"]


def test_an_answer_of_another_api_is_refused_before_anything_runs(
    chat: Recorded, tmp_path: Path
) -> None:
    given = tmp_path / "answer.json"
    given.write_text('{"type": "message", "content": []}')
    code, line, err = chat.fork("--from", "1", "--answer", str(given))
    assert (code, line) == (2, None)
    assert "the answer is one of Anthropic's Messages" in err
    assert len(agentlog("forks", "run", "--json", url=chat.url).lines) == 1


def test_a_change_that_the_run_never_came_to_is_said(chat: Recorded, tmp_path: Path) -> None:
    (tmp_path / "result").write_text("x")
    words = ("--from", str(chat.answers()[-1]), "--result", f"no-call={tmp_path / 'result'}")
    code, line, _ = chat.fork(*words)
    assert (code, line["unmet"]) == (1, ["the result of call no-call"])
    tree = agentlog("forks", "run", url=chat.url).out.splitlines()
    assert "result of no-call → " in tree[1]
    assert tree[1].endswith("open, live calls: 1, unmet changes: 1")


def test_a_fork_is_forked_again(chat: Recorded) -> None:
    first, second, third = chat.answers()
    assert chat.fork("--from", str(second), "--model", "model-2", "--as", "one")[0] == 0
    last = chat.answers("one")[-1]
    code, line, err = chat.fork(
        "--from", str(last), "--set", "/temperature=1", "--as", "two", thread="one"
    )
    assert code == 0, err
    assert (line["exact"], line["liveCalls"]) == (2, 1)
    code, _, err = replay(chat.url, chat.settings, "two", "--", *chat.command)
    assert code == 0, err
    assert "3 exact; live calls: 0" in err
    # within what it copied, a fork is forked as its origin
    code, line, err = chat.fork("--from", str(first), "--as", "three", thread="two")
    assert (code, line["exact"], line["liveCalls"]) == (0, 0, 3), err
    assert agentlog("verify", url=chat.url).code == 0
    file = Path(chat.settings["AGENTLOG_SPOOL_DIR"]).parent / "two.cassette"
    done = agentlog("export", "cassette", "two", "--output", file, url=chat.url)
    assert done.code == 0
    code, _, err = replay(
        "postgresql://127.0.0.1:9/away", chat.settings, str(file), "--", *chat.command
    )
    assert code == 0, err
    assert third


def test_models_are_compared_by_a_check(chat: Recorded) -> None:
    def script(turn: Turn) -> Answer:
        return Answer("wrong") if turn.model == "bad" else ShellCalls()(turn)

    chat.provider.script = script
    check = f"{AGENTLOG} view $1 openai | grep -q 'after 2 calls'"
    words = ["run", "--yes", "--from", "1", "--models", "good,bad", "--check", check]
    settings = {**chat.settings, "AGENTLOG_DATABASE_URL": chat.url}
    code, out, err = fork_run(chat.url, settings, *words, "--", *chat.command)
    assert code == 1, err
    rows = [line.split() for line in out.splitlines() if " good " in line or " bad " in line]
    assert [row[1:4:2] for row in rows] == [["good", "passed"], ["bad", "failed"]], out
    _, *forks = agentlog("forks", "run", "--json", url=chat.url).lines
    assert [fork["replay"] for fork in forks] == [
        {"changes": "model good", "liveCalls": 3, "unmet": 0, "check": "passed"},
        {"changes": "model bad", "liveCalls": 1, "unmet": 0, "check": "failed"},
    ]
    failed = agentlog("threads", "--filter", "metadata.check:failed", "--json", url=chat.url).lines
    assert [thread["threadId"] for thread in failed] == [forks[1]["threadId"]]


def test_calls_with_effects_are_listed_before_anything_runs(chat: Recorded) -> None:
    code, out, err = fork_run(chat.url, chat.settings, "run", "--from", "1", "--", *chat.command)
    assert (code, out) == (2, "")
    assert "run again, and may have effects: shell (2)" in err
    assert len(agentlog("forks", "run", "--json", url=chat.url).lines) == 1


def test_ctrl_c_ends_the_forks_of_all_models(chat: Recorded) -> None:
    def forks() -> int:
        return len(agentlog("forks", "run", "--json", url=chat.url).lines)

    words = ("run", "--yes", "--from", "1", "--models", "a,b,c", "--", "sleep", "3")
    with started("fork-run", *words, url=chat.url, **chat.settings) as process:
        until(lambda: forks() == 2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 130, err
    assert forks() == 2


def test_a_request_that_differs_below_the_cursor_is_not_asked_live(chat: Recorded) -> None:
    chat.command = [*chat.command[:2], chat.command[2].replace("do it", "do that")]
    code, line, _ = chat.fork("--from", str(chat.answers()[-1]), "--as", "fork")
    assert code == 1
    assert line["unmatched"][0]["place"] == "items[1]"
    assert line["liveCalls"] == 0
    assert chat.provider.requests == []


def test_a_replay_is_kept(chat: Recorded) -> None:
    code, line, err = chat.fork("--as", "kept")
    assert (code, line["exact"], line["liveCalls"]) == (0, 3, 0), err
    assert chat.provider.requests == []
    assert chat.view("kept") == chat.view("run")
    kept, outcome = agentlog("show", "kept", "--json", url=chat.url).lines[-2:]
    assert (kept["type"], outcome["type"]) == ("agentlog.replay", "thread.annotated")
    assert [answer["by"] for answer in kept["message"]["payload"]["answers"]] == ["exact"] * 3
    assert replay(chat.url, chat.settings, "kept", "--", *chat.command)[0] == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--model", "m"], "changes need --from"),
        (["--from", "999"], "999"),
        (["--from", "1", "--set", "temperature=1"], "JSON pointer"),
        (["--from", "1", "--answer", "/no/such"], "--answer /no/such: No such file"),
        (["--from", "1", "--as", "run"], "run"),
        (["--from", "1", "--models", "a,b", "--as", "x"], "--as names one fork"),
    ],
)
def test_what_is_off_is_said_before_anything_runs(
    chat: Recorded, words: list[str], reason: str
) -> None:
    code, _, err = chat.fork(*words)
    assert code != 0
    assert reason in err
    assert chat.provider.requests == []


def test_a_change_that_cannot_be_made_is_said_to_the_agent(chat: Recorded) -> None:
    code, _, err = chat.fork("--from", "1", "--set", "/a/b=1")
    assert code == 1
    assert chat.provider.requests == []
    assert "400" in err
