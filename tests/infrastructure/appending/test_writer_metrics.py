"""What the writer counts: every append by its outcome, every commit by its way and size."""

import pytest

from domain.errors import RuleBroken
from infrastructure.appending.writer import Writer
from infrastructure.appending.writer_metrics import Commit, Tally, WriterMeters
from infrastructure.postgres.database import Database
from tests.infrastructure.appends import Clock, Ids, given, reply, request, results


def test_a_tally_counts_a_value_at_the_first_bound_that_it_does_not_exceed() -> None:
    tally = Tally((1, 2, 4))
    for value in (0, 1, 1.5, 2, 4, 5):
        tally.note(value)
    tally.note(3, times=10)
    assert tally.counts == [2, 2, 11, 1]
    assert tally.total == 13.5 + 30


def test_each_append_counts_by_its_outcome(writer: Writer) -> None:
    writer.append(request("t", reply("one", id=given(1))))
    writer.append(request("t", reply("one", id=given(1))))
    with pytest.raises(RuleBroken):
        writer.append(request("t", results("nobody-called")))
    partly = request("t", reply("one", id=given(1)), reply("two"))
    writer.append(partly)
    meters = writer.meters
    assert meters.outcomes == {"appended": 2, "replayed": 1, "refused": 1, "failed": 0}
    assert sum(meters.append_seconds.counts) == 4
    assert meters.append_seconds.total > 0


def test_each_commit_counts_once_however_many_appends_share_it(writer: Writer) -> None:
    writer.append_many([request("a", reply("1"), reply("2")), request("b", reply("3"))])
    meters = writer.meters
    assert sum(meters.commits.values()) == 1
    assert (meters.batch_requests.total, meters.batch_events.total) == (2, 3)
    assert sum(meters.commit_seconds.counts) == 1


def test_what_writes_nothing_is_no_commit(writer: Writer) -> None:
    writer.append(request("t", reply("one", id=given(1))))
    before = sum(writer.meters.commits.values())
    writer.append(request("t", reply("one", id=given(1))))
    assert sum(writer.meters.commits.values()) == before


def test_a_commit_counts_by_its_way(writer: Writer) -> None:
    for number in range(3):
        writer.append(request("t", reply(str(number))))
    assert writer.meters.commits == {"holding": 1, "onward": 2}


def test_who_asks_is_told_of_each_commit_before_it_is_answered(database: Database) -> None:
    told: list[Commit] = []
    meters = WriterMeters(on_commit=told.append)
    writer = Writer(database, clock=Clock(), new_id=Ids(), meters=meters)
    writer.append(request("t", reply("one"), reply("two")))
    (commit,) = told
    assert [each.request.thread_id for each in commit.requests] == ["t"]
    assert (commit.events, commit.way) == (2, "holding")
    assert commit.seconds > 0
