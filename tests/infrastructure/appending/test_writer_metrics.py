"""What the writer counts: every append by its outcome, every commit by its way and size."""

import pytest

from agentlog.domain.errors import RuleBroken
from agentlog.infrastructure.appending.commit_plan import Commit
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import Clock, Ids, given, reply, request, results


def counted(writer: Writer, name: str, **labels: str) -> float:
    """Return a sample of the writer's registry."""
    value = writer.meters.registry.get_sample_value(f"agentlog_{name}", labels)
    assert value is not None
    return value


def ways(writer: Writer) -> dict[str, float]:
    """Return how many commits there were, by their way."""
    return {way: counted(writer, "commits_total", way=way) for way in ("holding", "onward")}


def test_each_append_counts_by_its_outcome(writer: Writer) -> None:
    writer.append(request("t", reply("one", id=given(1))))
    writer.append(request("t", reply("one", id=given(1))))
    with pytest.raises(RuleBroken):
        writer.append(request("t", results("nobody-called")))
    partly = request("t", reply("one", id=given(1)), reply("two"))
    writer.append(partly)
    expected = {"appended": 2, "replayed": 1, "refused": 1, "failed": 0, "overloaded": 0}
    for outcome, count in expected.items():
        assert counted(writer, "appends_total", outcome=outcome) == count
    assert counted(writer, "append_seconds_count") == 4
    assert counted(writer, "append_seconds_sum") > 0


def test_each_commit_counts_once_however_many_appends_share_it(writer: Writer) -> None:
    writer.append_many([request("a", reply("1"), reply("2")), request("b", reply("3"))])
    assert sum(ways(writer).values()) == 1
    assert counted(writer, "batch_requests_sum") == 2
    assert counted(writer, "batch_messages_sum") == counted(writer, "messages_appended_total") == 3
    assert counted(writer, "commit_seconds_count") == 1


def test_what_writes_nothing_is_no_commit(writer: Writer) -> None:
    writer.append(request("t", reply("one", id=given(1))))
    before = ways(writer)
    writer.append(request("t", reply("one", id=given(1))))
    assert ways(writer) == before


def test_a_commit_counts_by_its_way(writer: Writer) -> None:
    for number in range(3):
        writer.append(request("t", reply(str(number))))
    assert ways(writer) == {"holding": 1, "onward": 2}


def test_who_asks_is_told_of_each_commit_before_it_is_answered(database: Database) -> None:
    told: list[Commit] = []
    writer = Writer(database, clock=Clock(), new_id=Ids(), on_commit=told.append)
    writer.append(request("t", reply("one"), reply("two")))
    (commit,) = told
    assert [ready.request.thread_id for ready in commit.requests] == ["t"]
    assert (commit.events, commit.way) == (2, "holding")
    assert commit.seconds > 0
