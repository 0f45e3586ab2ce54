"""The command cause: a planted bug is found, and a harmless difference is not called one."""

import os
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.text import parse
from tests.api.cli.exchanges.test_record import agent, record
from tests.command_line import AGENTLOG, WAIT_SECONDS, agentlog, started
from tests.providers.script import Answer, Call, Turn
from tests.providers.server import ScriptedProvider

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

    def record(self, model: Model, thread: str) -> None:
        self.provider.script = model
        code, _, err = record(self.url, self.settings, "--thread", thread, "--", *agent("chat"))
        assert code == 0, err

    def cause(self, *words: str) -> tuple[int, Any, str]:
        command = ["--check", CHECK, "--json", "--yes", *words, "--", *agent("chat")]
        with started(
            "cause", "bad", "--good", "good", *command, url=self.url, **self.settings
        ) as process:
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
    (trial,) = result["experiments"]
    assert len({*trial["changed"]["passedForks"], *trial["control"]["failedForks"]}) == 8
    assert len(agentlog("forks", "bad", "--json", url=runs.url).lines) == 9
    kept = agentlog("show", "bad", "--json", url=runs.url).lines[-1]
    assert kept["type"] == "agentlog.cause"
    code, result, err = runs.cause("--at", str(version), "--most-runs", "6")
    assert (code, result["cause"], result["budgetSpent"], result["runs"]) == (1, [], True, 6), err


def test_what_cannot_be_tried_is_said(runs: Runs) -> None:
    runs.record(Model(0, None, None, is_good=True), "good")
    runs.record(Model(0, None, None, is_good=True), "bad")
    code, _, err = runs.cause()
    assert (code, err) == (2, "agentlog: bad and good are equal\n")
    code, _, err = runs.cause("--at", "3")
    assert code == 2
    assert "good has no other answer or result in place of version 3 of bad" in err
    code, _, err = runs.cause("--runs", "3")
    assert code == 2
    assert "--runs" in err
    assert len(agentlog("forks", "bad", "--json", url=runs.url).lines) == 1


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
