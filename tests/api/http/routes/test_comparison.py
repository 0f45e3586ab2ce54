"""Comparisons over HTTP: rows in pages, moments, sets, refusals, and who has read what."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.threads import Threads
from tests.api.refusals import Refusals
from tests.infrastructure.appends import STORY, reply

CALL = {"type": "tool_calls", "calls": [{"id": "c", "name": "search", "args": {"to": "BER"}}]}


def _other(**args: Any) -> JsonValue:
    return {"type": "tool_calls", "calls": [{"id": "d", "name": "search", "args": args}]}


@pytest.fixture(autouse=True)
def told(threads: Threads) -> None:
    """Threads `a`, `b` and `c`: the second says one thing more, the third calls otherwise."""
    first = [reply("one"), reply("two"), CALL, reply("three")]
    threads.append("a", first)
    threads.append("b", [*first[:1], reply("between"), *first[1:]])
    threads.append("c", [*first[:2], _other(to="MUC"), reply("three")])


def _compare(client: TestClient, **asked: Any) -> Any:
    answer = client.get("/v1/compare", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_one_inserted_message_shifts_nothing(client: TestClient) -> None:
    compared = _compare(client, a="a", b="b")
    assert compared["view"] == "kernel"
    assert compared["asOf"] == 13
    assert compared["sides"] == [
        {"threadId": "a", "version": 4, "position": 4, "count": 4},
        {"threadId": "b", "version": 5, "position": 9, "count": 5},
    ]
    (comparison,) = compared["comparisons"]
    assert comparison["divergence"] == {"equal": 1, "a": "2.0", "b": "2.0"}
    assert comparison["counts"] == {"equal": 4, "changed": 0, "onlyA": 0, "onlyB": 1}
    ops = [(row["op"], row["count"]) for row in comparison["items"]]
    assert ops == [("equal", 1), ("only_b", 1), ("equal", 1), ("equal", 2)]
    only = comparison["items"][1]
    assert only["b"]["item"]["text"] == "between"
    assert "a" not in only
    assert comparison["items"][3]["a"] == {"from": "3.0", "to": "4.0"}
    assert comparison["next"] is None


def test_changed_calls_show_what_changed_in_their_arguments(client: TestClient) -> None:
    (comparison,) = _compare(client, a="a", b="c", context=0)["comparisons"]
    _, row, _ = comparison["items"]
    assert row["op"] == "changed"
    assert (row["a"]["type"], row["a"]["tools"]) == ("tool_calls", ["search"])
    assert row["a"]["hint"] == '{"to":"BER"}'
    edits = [{"a": 0, "b": 0, "removed": "BER", "added": "MUC"}]
    assert row["changes"] == [{"op": "replace", "path": "/to", "value": "MUC", "edits": edits}]


def test_calls_may_be_compared_alone(client: TestClient) -> None:
    compared = _compare(client, a="a", b=["b", "c"], steps="calls")
    assert [side["count"] for side in compared["sides"]] == [1, 1, 1]
    assert compared["comparisons"][0]["divergence"] is None
    assert compared["comparisons"][1]["divergence"] == {"equal": 0, "a": "3.0", "b": "3.0"}


def test_several_are_compared_with_the_first(client: TestClient) -> None:
    compared = _compare(client, a="a", b=["b", "c", "a"])
    assert [comparison["b"] for comparison in compared["comparisons"]] == [1, 2, 3]
    divergence = compared["divergence"]
    assert divergence["equal"] == 1
    assert [branch["sides"] for branch in divergence["branches"]] == [[0, 2, 3], [1]]
    assert [branch["did"]["hint"] for branch in divergence["branches"]] == ["two", "between"]
    assert compared["comparisons"][2]["divergence"] is None


def test_a_thread_is_compared_with_its_past(client: TestClient, threads: Threads) -> None:
    for moment in ("a@2", "a@@2"):
        compared = _compare(client, a="a", b=moment)
        assert compared["sides"][1] == {"threadId": "a", "version": 2, "position": 2, "count": 2}
        assert compared["comparisons"][0]["divergence"] == {"equal": 2, "a": "3.0", "b": None}
    assert _compare(client, a="a@0", b="a")["comparisons"][0]["counts"]["onlyB"] == 4
    message_id = threads.messages("a")[1].message_id
    assert _compare(client, a="a", b=f"a@{message_id}")["sides"][1]["version"] == 2


def test_pages_are_of_one_position_of_the_log(client: TestClient, threads: Threads) -> None:
    whole = _compare(client, a="a", b="b", context=9)["comparisons"][0]["items"]
    rows, after = [], None
    while True:
        asked: dict[str, str] = {} if after is None else {"after": after}
        compared = _compare(client, a="a", b="b", context=9, limit=2, **asked)
        assert compared["asOf"] == 13
        rows += compared["comparisons"][0]["items"]
        after = compared["comparisons"][0]["next"]
        threads.append("a", [reply("later")])
        if after is None:
            break
    assert rows == whole


def test_long_texts_are_cut_and_say_so(client: TestClient, threads: Threads) -> None:
    threads.append("long", [reply("x" * 5000)])
    (comparison,) = _compare(client, a="a@0", b="long")["comparisons"]
    (row,) = comparison["items"]
    assert row["b"]["cut"] is True
    assert row["b"]["item"]["text"] == "x" * 2000


@pytest.mark.parametrize("name", ["kernel", "openai", "letta", "openletta", "maria", "anomalies"])
def test_every_list_can_be_compared(client: TestClient, threads: Threads, name: str) -> None:
    threads.start("story", {"policy": "record"})
    threads.append("story", STORY)
    (comparison,) = _compare(client, a="story", b="story", view=name)["comparisons"]
    assert comparison["divergence"] is None
    compared = _compare(client, a="story@0", b="story", view=name)
    assert compared["comparisons"][0]["counts"]["onlyB"] == compared["sides"][1]["count"]


def test_options_of_the_view_are_taken(client: TestClient) -> None:
    compared = _compare(client, a="a", b="c", view="openai", repair="false")
    assert compared["sides"][0]["count"] == 4
    assert _compare(client, a="a", b="c", view="openai")["sides"][0]["count"] == 5


@pytest.mark.parametrize(
    ("query", "status", "name", "words"),
    [
        ("a=a&b=nowhere", 404, "unknown-thread", "nowhere"),
        ("a=a&b=b@99", 404, "future-moment", "version 99"),
        ("a=a&b=b@x", 422, "invalid-moment", "x"),
        ("a=a&b=b%20", 422, "invalid-thread-id", "b"),
        ("a=a", 422, "invalid-request", "b"),
        ("a=a&b=b&view=nowhere", 404, "unknown-view", "nowhere"),
        ("a=a&b=b&view=agent-state", 422, "state-not-comparable", "diff"),
        ("a=a&b=b&repair=true", 422, "invalid-view-option", "repair"),
        ("a=a&b=b&after=x", 422, "invalid-cursor", "x"),
        ("a=a&b=b&after=99.0", 404, "future-moment", "position 99"),
        ("a=a&b=b&colour=red", 422, "unknown-parameter", "colour"),
        ("a=a&" + "&".join(["b=b"] * 10), 422, "invalid-request", "9"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    refusals: Refusals, query: str, status: int, name: str, words: str
) -> None:
    refusals.check("GET", f"/v1/compare?{query}", words, status=status, name=name)


# --- sets ------------------------------------------------------------------------------------


@pytest.fixture
def runs(threads: Threads) -> None:
    """Runs of two tasks: of the first, those that call `MUC` fail."""
    for number, (to, reward) in enumerate([("BER", 1), ("MUC", 0.0), ("BER", 1.0), ("MUC", 0)]):
        thread_id = f"run-{number}"
        metadata = {"task": 7, "reward": reward, "team": "x"}
        threads.start(thread_id, {"metadata": metadata})
        threads.append(
            thread_id, [reply("one"), _other(to=to), {"type": "exit", "reason": "error"}]
        )
    threads.start("alone", {"metadata": {"task": "other"}})


@pytest.mark.usefixtures("runs")
def test_the_runs_of_each_task_part_and_their_ends_are_told(client: TestClient) -> None:
    asked = {"by": "metadata.task", "failed": "metadata.reward:0.0", "filter": "metadata.team:x"}
    body = client.get("/v1/compare/sets", params=asked).json()
    assert (body["by"], body["lacking"], body["cut"]) == ("metadata.task", 0, False)
    (task,) = body["items"]
    tally = {"failed": 2, "succeeded": 2, "unknown": 0}
    assert {key: task[key] for key in ("value", "runs", *tally)} == {"value": 7, "runs": 4, **tally}
    (parting,) = task["partings"]
    assert parting["equal"] == 0  # of the calls; all of them say "one" before
    branches = {branch["did"]["hint"]: branch for branch in parting["branches"]}
    assert branches['{"to":"MUC"}']["failed"] == 2
    assert branches['{"to":"MUC"}']["succeeded"] == 0
    assert branches['{"to":"MUC"}']["did"]["place"] == "3.0"
    words = client.get("/v1/compare/sets", params={**asked, "steps": "all"}).json()["items"][0]
    assert words["partings"][0]["equal"] == 1
    assert sorted(branches['{"to":"BER"}']["threads"]) == ["run-0", "run-2"]
    assert {thread["end"] for thread in task["threads"]} == {"error"}


@pytest.mark.usefixtures("runs")
def test_threads_without_the_key_are_counted(client: TestClient) -> None:
    body = client.get("/v1/compare/sets?by=metadata.task").json()
    assert body["lacking"] == 3
    assert [item["value"] for item in body["items"]] == [7, "other"]
    assert body["items"][0]["failed"] == 2  # by their scores: all exited with an error
    assert body["items"][1]["partings"] == []
    assert body["items"][1]["unknown"] == 1


@pytest.mark.parametrize(
    ("query", "status", "name", "words"),
    [
        ("", 422, "invalid-request", "by"),
        ("by=task", 422, "invalid-filter", "metadata.KEY"),
        ("by=metadata.", 422, "invalid-filter", "metadata.KEY"),
        ("by=metadata.task&failed=reward", 422, "invalid-filter-text", "metadata.KEY"),
        ("by=metadata.task&failed=metadata.reward", 422, "invalid-filter-text", "compare"),
        ("by=metadata.task&view=agent-state", 422, "state-not-comparable", "diff"),
    ],
)
def test_sets_that_are_not_named_well_are_refused(
    refusals: Refusals, query: str, status: int, name: str, words: str
) -> None:
    refusals.check("GET", f"/v1/compare/sets?{query}", words, status=status, name=name)


# --- matrix ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("runs")
def test_runs_are_a_matrix_with_what_parts_them(client: TestClient) -> None:
    body = client.get("/v1/compare/matrix", params={"filter": "metadata.task:7"}).json()
    assert (body["columnCount"], body["cut"]) == (1, False)
    assert [row["threadId"] for row in body["rows"]] == ["run-1", "run-3", "run-0", "run-2"]
    (column,) = body["columns"]
    assert (column["tools"], column["separation"]) == (["search"], 1.0)
    ways = {way["did"]["hint"]: (way["failed"], way["succeeded"]) for way in column["variants"]}
    assert ways == {'{"to":"BER"}': (0, 2), '{"to":"MUC"}': (2, 0)}
    cell = {"column": 0, "version": 3, "word": "suspected"}
    assert body["rows"][0]["cells"] == [{**cell, "variant": 1}]
    named = client.get("/v1/compare/matrix?thread=run-0&thread=a&steps=all").json()
    assert sorted(row["threadId"] for row in named["rows"]) == ["a", "run-0"]


@pytest.mark.parametrize(
    ("query", "status", "name", "words"),
    [
        ("thread=missing", 404, "unknown-thread", "missing"),
        ("thread=%20", 422, "invalid-thread-id", "id"),
        ("&".join(["thread=a"] * 201), 422, "invalid-request", "200"),
        ("failed=reward", 422, "invalid-filter-text", "metadata.KEY"),
        ("steps=none", 422, "invalid-request", "calls"),
    ],
)
def test_a_matrix_that_is_not_asked_for_well_is_refused(
    refusals: Refusals, query: str, status: int, name: str, words: str
) -> None:
    refusals.check("GET", f"/v1/compare/matrix?{query}", words, status=status, name=name)
