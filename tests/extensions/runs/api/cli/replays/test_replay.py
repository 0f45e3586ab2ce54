"""The command replay with an engine: what is printed, how it ends, and that it repeats itself."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentlog.domain.json.text import parse
from tests.command_line import AGENTLOG, agentlog, agentlog_process, environment
from tests.databases import new_database
from tests.waiting import WAIT_SECONDS

ROOT = Path(__file__).parents[6]
EXAMPLES = ROOT / "examples"
DEPLOY = "examples.deploy_engine:DeployEngine"
RULES = "agentlog.domain.cognition:RuleEngine"
OURS = "tests.extensions.runs.api.cli.replays.engines"

ANSWER = (
    r'{"type":"LLMResponse","content":"refund({\"order_id\": 1042, \"amount\": 59.90})","usage":'
    '{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0},"model":"","provider":"",'
    '"finish_reason":"","structured":{"tool":"refund","arguments":'
    '{"order_id":1042,"amount":59.90}}}'
)
APPROVAL = (
    '{"type":"RequestApproval","request":{"tool":"refund","args":'
    r'"{\"order_id\":1042,\"amount\":59.90}","reason":"pays out 59.90 EUR"}}'
)
CALL = (
    '{"type":"CallTool","call":{"name":"refund","arguments":{"order_id":1042,"amount":59.90},'
    '"working_dir":null,"timeout_secs":null}}'
)


@pytest.fixture(scope="module")
def url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with the examples."""
    with new_database(server_url, template=template_database) as made:
        assert agentlog("import", EXAMPLES, url=made).code == 0
        yield made


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("state", ["recorded", "carried"])
def test_an_engine_that_decides_the_same_ends_with_0(url: str, state: str) -> None:
    outcome = agentlog("replay-engine", DEPLOY, "deploy", "--state", state, url=url)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == [
        "deploy: 6 steps equal",
        "not in the log, in 2 steps: ToolCall.working_dir and timeout_secs",
        "not in the log, in 1 step: ToolFailure.code and retryable",
        "not in the log, in 1 step: a step for each further decision on one input",
    ]


def test_the_first_divergence_is_shown_with_both_and_ends_with_1(url: str) -> None:
    outcome = agentlog("replay-engine", RULES, "refund", url=url)
    assert outcome.code == 1
    assert outcome.out.splitlines()[:6] == [
        "refund: 4 steps equal, 2 diverge",
        "  first     version 10: another decision",
        f"  input     {ANSWER}",
        f"  recorded  {APPROVAL}",
        f"  engine    {CALL}",
        f"  again     agentlog replay-engine {RULES} refund --from 10",
    ]


def test_a_state_is_shown_by_the_fields_that_differ(url: str) -> None:
    engine = "agentlog.domain.cognition:StubEngine"
    outcome = agentlog("replay-engine", engine, "research", url=url)
    assert outcome.code == 1
    assert "  first     version 2: another decision and another state" in outcome.out
    asked = '{"role":"user","content":"Which vector database should we use? Compare three."}'
    assert f"  state     history[0]: recorded {asked}, engine null\n" in outcome.out
    assert "pending_llm" not in outcome.out


def test_json_has_a_line_a_thread_with_counts_and_the_first_divergence(url: str) -> None:
    outcome = agentlog("replay-engine", RULES, "refund", "--json", url=url)
    (line,) = outcome.lines
    first = line.pop("first")
    lacks = line.pop("lacks")
    assert line == {
        "threadId": "refund",
        "steps": 6,
        "equal": 4,
        "divergent": 2,
        "leftOut": 0,
        "failure": None,
    }
    assert {"what": "LLMRequest.context", "steps": 2} in lacks
    assert (first["version"], first["result"], first["differs"]) == (10, 0, ["decision"])
    assert first["recorded"]["decision"]["type"] == "RequestApproval"
    assert first["engine"]["decision"]["type"] == "CallTool"
    assert first["recorded"]["state"]["step_count"] == first["engine"]["state"]["step_count"] == 4
    assert first["state"]["step_count"] == 3
    again = first["command"].split()[1:]
    repeated = parse(agentlog(*again, "--json", url=url).out)
    assert repeated["first"] == first
    assert repeated["steps"] == 3


def test_a_replay_begins_at_a_version(url: str) -> None:
    outcome = agentlog("replay-engine", DEPLOY, "deploy", "--from", "5", "--json", url=url)
    assert [(line["steps"], line["equal"]) for line in outcome.lines] == [(3, 3)]


def test_many_threads_are_chosen_by_what_they_are(url: str) -> None:
    chosen = ["--filter", "metadata.team:platform status:exited"]
    outcome = agentlog("replay-engine", DEPLOY, *chosen, "--json", url=url)
    assert [line["threadId"] for line in outcome.lines] == ["deploy"]
    assert outcome.code == 0
    outcome = agentlog("replay-engine", DEPLOY, "--filter", "status:exited", url=url)
    assert outcome.code == 1
    assert "\n3 threads, 15 steps: 2 diverge, 0 failed\n" in outcome.out


@pytest.mark.parametrize(
    "form", [[], pytest.param(["--json"], marks=pytest.mark.slow)], ids=["text", "json"]
)
def test_two_processes_with_other_hash_seeds_print_equal_bytes(url: str, form: list[str]) -> None:
    words = [f"{OURS}:Prints", "--filter", ""]
    printed = set()
    for seed, jobs in [("0", "1"), ("1", "2")]:
        done = subprocess.run(
            [AGENTLOG, "replay-engine", *words, "--jobs", jobs, *form],
            env={**environment(url), "PYTHONHASHSEED": seed},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=WAIT_SECONDS,
            check=False,
        )
        assert done.returncode == 1, done.stderr
        printed.add(done.stdout)
    assert len(printed) == 1
    assert len(printed.pop().splitlines()) >= 6


def test_an_engine_that_raises_is_shown_with_its_traceback_and_ends_with_2(url: str) -> None:
    outcome = agentlog("replay-engine", f"{OURS}:Raises", "deploy", url=url)
    assert outcome.code == 2
    lines = outcome.out.splitlines()
    assert lines[:3] == [
        "deploy: 0 steps equal, then failed",
        "  failed    version 2: the engine raised KeyError, which is no CognitiveError",
        '  input     {"type":"UserMessage","text":"Ship 2.4 to production."}',
    ]
    assert "    KeyError: 'weather'" in lines
    (line,) = agentlog("replay-engine", f"{OURS}:Raises", "deploy", "--json", url=url).lines
    assert line["failure"]["version"] == 2
    assert "in step" in line["failure"]["traceback"]


def test_a_function_makes_an_engine_too(url: str) -> None:
    assert agentlog("replay-engine", f"{OURS}:made", "deploy", url=url).code == 1


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["nothing", "deploy"], "nothing: name an engine as package.module:Engine"),
        (["no.such:E", "deploy"], "cannot be imported: ModuleNotFoundError: No module"),
        ([f"{OURS}:Nothing", "deploy"], f"{OURS} has no Nothing"),
        ([f"{OURS}:NO_ENGINE", "deploy"], "a int is no class or function"),
        (["datetime:date", "deploy"], "no engine: the class has no method step"),
        ([RULES, "none"], "none"),
        ([RULES], "name a THREAD, or threads by --filter"),
        ([RULES, "deploy", "--filter", "x"], "name a THREAD, or threads by --filter"),
        ([RULES, "--filter", "tool:x"], "filter: tool:x: here threads are listed by"),
        ([RULES, "--only", "status=open"], "write --filter 'status:open'"),
        ([RULES, "--filter", "metadata.no:1"], "no thread matches the filter"),
    ],
)
def test_what_cannot_be_done_is_said_and_ends_with_2(
    url: str, words: list[str], problem: str
) -> None:
    outcome = agentlog("replay-engine", *words, url=url)
    assert outcome.code == 2
    assert problem in outcome.err
    assert "Traceback" not in outcome.err
    assert not outcome.out


def test_an_engine_of_the_current_directory_is_found_and_its_errors_are_said(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_engine.py").write_text("1 / 0\n")
    outcome = agentlog("replay-engine", "broken_engine:E", "deploy", url=url)
    assert outcome.code == 2
    assert "broken_engine:E: cannot be imported: ZeroDivisionError" in outcome.err
    (tmp_path / "own_engine.py").write_text("from agentlog.domain.cognition import StubEngine\n")
    done = subprocess.run(
        [AGENTLOG, "replay-engine", "own_engine:StubEngine", "deploy", "--json"],
        env=environment(url),
        capture_output=True,
        timeout=WAIT_SECONDS,
        check=False,
    )
    assert done.returncode == 1, done.stderr


def test_a_process_that_ends_by_itself_is_named(url: str) -> None:
    words = [f"{OURS}:Ends", "--filter", "", "--jobs", "2"]
    outcome = agentlog_process("replay-engine", *words, url=url)
    assert outcome.code == 2
    assert "a process of the replay ended by itself" in outcome.err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_all_processes(url: str, jobs: str) -> None:
    words = [f"{OURS}:Waits", "--filter", "", "--jobs", jobs]
    with subprocess.Popen(
        [AGENTLOG, "replay-engine", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(url),
        start_new_session=True,  # a terminal sends Ctrl-C to all processes of a group
    ) as process:
        try:
            assert process.stderr is not None
            for _ in range(int(jobs)):
                assert process.stderr.readline() == "waiting\n"
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=WAIT_SECONDS)  # all that hold the pipes end
            assert (process.returncode, out, err) == (130, "", "interrupted\n")
        finally:
            process.kill()
