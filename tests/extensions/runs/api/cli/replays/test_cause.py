"""The command cause: a planted bug is found, and a harmless difference is not called one."""

import json
import os
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.text import parse
from tests.command_line import AGENTLOG, agentlog, started
from tests.extensions.runs.api.cli.recording.test_record import agent, record
from tests.providers import dialects
from tests.providers.script import Answer, Call, Turn
from tests.providers.server import ScriptedProvider
from tests.waiting import WAIT_SECONDS

CHECK = f'{AGENTLOG} view "$1" openai | tail -n 1 | grep -q all-well'


@dataclass
class Model:
    """Calls a tool some times; at the step `bug` it goes wrong unless it is good."""

    steps: int
    bug: int | None
    harmless: int | None
    is_good: bool

    def __call__(self, turn: Turn) -> Answer:
        step = turn.results
        if step < self.steps:
            words = f"step {step}"
            if step == self.bug:
                words += " right" if self.is_good else " wrong"
            if step == self.harmless:
                words += " quietly" if self.is_good else " loudly"
            return Answer(calls=[Call("shell", {"command": words})])
        return Answer("it broke" if "wrong" in str(turn.body["messages"]) else "all-well")


@dataclass
class Runs:
    """A bad and a good run of one model, in threads of these names."""

    url: str
    settings: dict[str, str]
    provider: ScriptedProvider
    command: list[str] = field(default_factory=lambda: agent("chat"))

    def record(self, model: Model, thread: str) -> None:
        self.provider.script = model
        code, _, err = record(self.url, self.settings, "--thread", thread, "--", *self.command)
        assert code == 0, err

    def cause(
        self, *words: str, bad: str = "bad", good: Sequence[str] = ("--good", "good")
    ) -> tuple[int, Any, str]:
        command = ["--check", CHECK, "--json", "--yes", *good, *words, "--", *self.command]
        with started("cause", bad, *command, url=self.url, **self.settings) as process:
            out, err = process.communicate(timeout=20 * WAIT_SECONDS)
        return process.returncode, parse(out.encode()) if out else None, err


def runs_on(url: str, folder: Path, provider: ScriptedProvider) -> Runs:
    settings = {
        "OPENAI_BASE_URL": f"{provider.url}/v1",
        "AGENTLOG_SPOOL_DIR": str(folder / "spool"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return Runs(url, settings, provider)


def step_of(url: str, version: int) -> str:
    (line,) = (
        line
        for line in agentlog("show", "bad", "--json", "--full", url=url).lines
        if line["version"] == version
    )
    return str(line)


@pytest.fixture(name="runs")
def _runs(database_url: str, tmp_path: Path) -> Iterator[Runs]:
    with ScriptedProvider() as provider:
        yield runs_on(database_url, tmp_path, provider)


def test_a_named_step_is_tried(runs: Runs) -> None:
    runs.record(Model(1, 0, None, is_good=True), "good")
    runs.record(Model(1, 0, None, is_good=False), "bad")
    lines = agentlog("show", "bad", "--json", url=runs.url).lines
    (version,) = (line["version"] for line in lines if line.get("type") == "tool_calls")
    code, result, err = runs.cause("--at", str(version), "--runs", "4")
    assert code == 0, err
    assert f"caused: answer at {version}: with 4 of 4 passed [0.51, 1.00], without 0 of 4" in err
    assert (result["cause"], result["runs"], result["budgetSpent"]) == ([version], 8, False)
    assert result["latest"] == version
    (trial,) = result["experiments"]
    assert len({*trial["changed"]["passedForks"], *trial["control"]["failedForks"]}) == 8
    assert len(agentlog("forks", "bad", "--json", url=runs.url).lines) == 9
    kept = agentlog("show", "bad", "--json", url=runs.url).lines[-1]
    assert kept["type"] == "agentlog.cause"
    code, result, err = runs.cause("--at", str(version), "--most-runs", "6")
    assert (code, result["cause"], result["budgetSpent"], result["runs"]) == (1, [], True, 6), err
    (trial,) = result["experiments"]  # the runs that were made are kept
    arms = trial["changed"], trial["control"]
    assert (trial["verdict"], [arm["runs"] for arm in arms]) == ("undecided", [1, 5])
    assert f"undecided: answer at {version}: with 1 of 1 passed" in err


def test_what_a_file_has_is_tried_without_a_good_run(runs: Runs, tmp_path: Path) -> None:
    runs.record(Model(1, 0, None, is_good=False), "bad")
    (call,) = (
        line
        for line in agentlog("view", "bad", "openai", url=runs.url).lines
        if "tool_calls" in line
    )
    call_id = call["tool_calls"][0]["id"]
    lines = agentlog("show", "bad", "--json", url=runs.url).lines
    (version,) = (line["version"] for line in lines if line.get("type") == "tool_calls")
    right, same = tmp_path / "right", tmp_path / "same"
    made = {"id": call_id, "name": "shell", "arguments": {"command": "step 0 right"}}
    right.write_text(json.dumps({"calls": [made]}))
    same.write_text("ran something")
    words = ("--runs", "4", "--answer", f"{version}={right}")
    code, result, err = runs.cause(*words, "--result", f"{call_id}={same}", good=())
    assert code == 0, err
    assert (result["good"], result["cause"]) == (None, [version])
    assert [step["kind"] for step in result["candidates"]] == ["answer", "result"]
    for wrong, said in (
        ((), "name what may be put in: --good"),
        (("--answer", f"x={right}"), "--answer x: give VERSION=FILE"),
        (("--answer", f"99={right}"), "version 99 is not there yet"),
        (("--result", f"call_x={same}"), "bad has no result of a call 'call_x'"),
    ):
        code, _, err = runs.cause(*wrong, good=())
        assert code == 2
        assert said in err


@pytest.mark.slow
def test_an_answer_and_the_result_of_its_call_are_put_in_together(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:  # a provider gives each call an id of its own
        patched.setattr(dialects, "_id", lambda kind, turn, n=0: f"{kind}_of_good_{turn.items}_{n}")
        runs.record(Model(1, 0, None, is_good=True), "good")
    runs.record(Model(1, 0, None, is_good=False), "bad")
    lines = agentlog("show", "bad", "--json", url=runs.url).lines
    kinds = {"tool_calls", "tool_results"}
    versions = [line["version"] for line in lines if line.get("type") in kinds]
    words = [word for version in versions for word in ("--at", str(version))]
    code, result, err = runs.cause(*words, "--runs", "4")
    assert code == 0, err
    both = result["experiments"][0]
    assert (both["steps"], both["changed"]["passed"]) == (versions, 4)


_PRICED = """
import os
from tests.providers.agent import Agent

class Priced(Agent):
    def body(self):
        return {**super().body(), "model": "gpt-4o"}

print(Priced(os.environ["OPENAI_BASE_URL"].removesuffix("/v1"), "chat").run("do it"))
"""


def test_a_budget_in_money_is_kept_to_and_refused_where_costs_are_not_known(runs: Runs) -> None:
    runs.record(Model(1, 0, None, is_good=False), "bad")
    runs.record(Model(1, 0, None, is_good=True), "good")
    code, _, err = runs.cause("--budget", "1")
    assert code == 2
    assert "--budget: what bad cost is not known; --most-runs limits runs" in err
    priced = replace(runs, command=[sys.executable, "-c", _PRICED])
    priced.record(Model(1, 0, None, is_good=False), "worse")
    code, result, err = priced.cause("--budget", "0.0004", bad="worse")
    usual = 2 * (10 * 2.5e-6 + 5 * 10e-6)  # two answers
    assert result["expectedUsdPerRun"] == pytest.approx(usual)
    assert (code, result["runs"], result["budgetSpent"]) == (1, 2, True), err
    assert result["costUsd"] == pytest.approx(2 * usual)
    (trial,) = result["experiments"]
    assert (trial["verdict"], trial["control"]["runs"], trial["changed"]["runs"]) == (
        "undecided",
        2,
        0,
    )


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(10))
def test_a_planted_bug_is_found(database_url: str, tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - of a test
    steps = draw.randint(2, 3)
    bug, harmless = draw.sample(range(steps), 2)
    with ScriptedProvider() as provider:
        runs = runs_on(database_url, tmp_path, provider)
        runs.record(Model(steps, bug, harmless, is_good=True), "good")
        runs.record(Model(steps, bug, harmless, is_good=False), "bad")
        code, result, err = runs.cause("--runs", "4")
        assert code == 0, err
        (version,) = result["cause"]
        assert "wrong" in step_of(database_url, version), result
        last = result["candidates"][-1]["version"]  # the answer that says how it ended
        assert result["latest"] == last
        assert result["experiments"][0]["control"]["passed"] == 0
        assert result["experiments"][0]["changed"]["passed"] == 4
    assert agentlog("verify", url=database_url).code == 0
    kept = agentlog("show", "bad", "--json", url=database_url).lines
    assert kept[-1]["type"] == "agentlog.cause"


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(20))
def test_a_harmless_difference_is_never_a_cause(
    database_url: str, tmp_path: Path, seed: int
) -> None:
    draw = random.Random(seed)  # noqa: S311 - of a test
    steps = draw.randint(1, 3)
    harmless = draw.randrange(steps)
    with ScriptedProvider() as provider:
        runs = runs_on(database_url, tmp_path, provider)
        for thread, is_good in (("good", True), ("bad", False)):
            runs.record(Model(steps, None, harmless, is_good=is_good), thread)
        code, result, err = runs.cause("--runs", "4")
    assert code == 1, err
    assert result["cause"] == []
    assert [trial["verdict"] for trial in result["experiments"]] == ["not_shown"]
