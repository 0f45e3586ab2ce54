"""The command that compares threads, and the runs of tasks."""

from collections.abc import Iterator
from typing import Any

import pytest

from agentlog.api.composition import open_service
from agentlog.infrastructure.settings import Settings
from tests.command_line import Outcome, agentlog, as_words
from tests.databases import new_database
from tests.infrastructure.appends import reply

LONG = "word " * 20


def _search(to: str) -> dict[str, Any]:
    return {"type": "tool_calls", "calls": [{"id": "c", "name": "search", "args": {"to": to}}]}


@pytest.fixture(scope="module")
def url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with the runs of a task; those that search for `MUC` have no reward."""
    with new_database(server_url, template=template_database) as made:
        with open_service(Settings(database_url=made)) as service:
            for name, to, reward in [("a", "BER", 1), ("b", "MUC", 0), ("c", "BER", 1)]:
                metadata = {"task": 7, "reward": reward, "team": "x"}
                service.threads.start(name, {"metadata": metadata})
                service.threads.append(name, [reply(LONG), reply("two"), _search(to)])
            service.threads.start("other", {"goal": "to be left out"})
        yield made


def _compare(url: str, *words: str) -> Outcome:
    outcome = agentlog("compare", *words, url=url, columns=20)
    assert outcome.code == 0, outcome.err
    return outcome


def test_the_first_difference_comes_first_and_nothing_is_cut(url: str) -> None:
    assert _compare(url, "a", "b", "--context", "0").out.splitlines() == [
        "a  a at version 4, 3 items",
        "b  b at version 4, 3 items",
        "first difference after 2 equal items: a goes on at 4.0, b goes on at 4.0",
        "2 equal, 1 changed, 0 only in a, 0 only in b",
        "",
        "  … 2 equal …",
        '- 4.0  tool_calls search {"to":"BER"}',
        '+ 4.0  tool_calls search {"to":"MUC"}',
    ]
    around = _compare(url, "a", "b", "--context", "2").out.splitlines()
    assert around[5:7] == [f"  2.0  reply {LONG}".rstrip(), "  3.0  reply two"]


def test_each_thread_is_compared_with_the_first_at_any_moment(url: str) -> None:
    (line,) = _compare(url, "a", "b@3", "c", "--json").lines
    assert [(side["threadId"], side["version"]) for side in line["sides"]] == [
        ("a", 4),
        ("b", 3),
        ("c", 4),
    ]
    first, second = line["comparisons"]
    assert first["divergence"] == {"equal": 2, "a": "4.0", "b": None}
    assert second["divergence"] is None


def test_a_view_its_options_and_only_calls_may_be_compared(url: str) -> None:
    words = ["a", "b", "--view", "openai", "-o", "repair=false", "--steps", "calls", "--json"]
    (line,) = _compare(url, *words).lines
    assert line["view"] == "openai"
    assert [side["count"] for side in line["sides"]] == [1, 1]


def test_json_has_all_rows_however_many_they_are(url: str) -> None:
    with open_service(Settings(database_url=url)) as service:
        service.threads.append("many", [reply(f"number {n}") for n in range(1500)])
    (line,) = _compare(url, "many@0", "many", "--json").lines
    (comparison,) = line["comparisons"]
    assert (len(comparison["items"]), comparison["next"]) == (1500, None)
    assert _compare(url, "many@0", "many").out.count("+ ") == 1500


def test_runs_of_a_task_part_where_they_did(url: str) -> None:
    words = [
        "--by",
        "metadata.task",
        "--failed",
        "metadata.reward:0.0",
        "--filter",
        "metadata.team:x",
    ]
    assert _compare(url, *words).out.splitlines() == [
        "task 7: 3 runs (1 failed, 2 succeeded)",
        "  after 0 equal items",
        '    2 runs (2 succeeded): tool_calls search {"to":"BER"}',
        "      a, c",
        '    1 run (1 failed): tool_calls search {"to":"MUC"}',
        "      b",
    ]
    (line,) = _compare(url, *words, "--steps", "all", "--json").lines
    assert [parting["equal"] for parting in line["items"][0]["partings"]] == [2]
    (left,) = _compare(url, "--by", "metadata.task", "--filter", "left", "--json").lines
    assert (left["lacking"], left["items"]) == (1, [])


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "name two threads or more, or --by metadata.KEY"),
        (["a"], "name two threads or more"),
        (["a", "b", "--filter", "open"], "--filter goes with --by"),
        (["a", "b", "--failed", "metadata.reward=0"], "--failed goes with --by"),
        (["a", "b", "--by", "metadata.task"], "--by compares all threads"),
        (["--by", "metadata.task", "--context", "0"], "--by compares all threads"),
        (["--by", "task"], "write metadata.KEY"),
        (["--by", "metadata.task", "--failed", "reward=0"], "there are metadata.KEY:, exit:"),
        (["--by", "metadata.task", "--status", "open"], "write --filter 'status:open'"),
        (["a", "nope"], "there is no thread 'nope'"),
        (["a", "b@soon"], "'soon' is no point of a history"),
        (["a", "b", "--view", "agent-state"], "has no items to align"),
        (["a", "b", "--steps", "some"], "--steps"),
        (["a", "b", "--context", "-1"], "--context"),
    ],
    ids=as_words,
)
def test_what_cannot_be_compared_is_refused(url: str, words: list[str], reason: str) -> None:
    outcome = agentlog("compare", *words, url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err
