"""Appends decided while the log is locked: one transaction, of which all or nothing is there."""

import psycopg
import pytest

from agentlog.domain.errors import MessageConflict, RuleBroken
from agentlog.infrastructure.appending.append_request import Appended, Outcome, Ready
from agentlog.infrastructure.appending.decision import Batch
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import (
    calls,
    check_log,
    fetch,
    given,
    last_position,
    reply,
    request,
    results,
    started,
)


@pytest.fixture(autouse=True)
def locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every append is too large to be decided from the cache."""
    monkeypatch.setattr("agentlog.infrastructure.appending.committer._ONWARD_BYTES", 0)


def _version(outcome: Outcome) -> int:
    assert isinstance(outcome, Appended), outcome
    return outcome.version


def test_heads_chains_and_ledger_go_on_from_one_request_to_the_next(
    writer: Writer, database: Database
) -> None:
    outcomes = writer.append_many(
        [
            request("a", calls("c1"), calls("c2"), facts=[started(goal="g")]),
            request("b", reply("one", metadata={"k": "v"})),
            request("a", results("c2")),
            request("c", reply("one"), reply("two"), reply("three"), reply("four")),
            request("a", results("c1"), reply("x" * 5000)),
            request("b", reply("two")),
        ]
    )
    assert [_version(outcome) for outcome in outcomes] == [3, 1, 4, 4, 6, 2]
    asked = "SELECT asked, answered FROM agentlog.ledger ORDER BY asked"
    assert fetch(database, asked) == [(2, 5), (3, 4)]
    assert len(fetch(database, "SELECT DISTINCT recorded_at FROM agentlog.events")) == 1
    check_log(database)
    writer.append(request("a", reply("remembered")))
    assert last_position(database) == 13
    check_log(database)


@pytest.mark.parametrize("refused_at", [0, 2, 3, 5, 6])
def test_a_refused_request_takes_no_other_with_it(
    writer: Writer, database: Database, refused_at: int
) -> None:
    requests = [request("t", reply(str(number))) for number in range(6)]
    requests.insert(refused_at, request("t", reply("no"), results("nothing")))
    outcomes = writer.append_many(requests)
    assert isinstance(outcomes[refused_at], RuleBroken)
    assert last_position(database) == 6
    check_log(database)


def test_where_all_is_refused_or_there_nothing_is_written(
    writer: Writer, database: Database
) -> None:
    same = [request("t", reply(str(number), id=given(number))) for number in range(7)]
    writer.append_many(same)
    for outcome in writer.append_many([*same, request("t", results("nothing"))])[:-1]:
        assert isinstance(outcome, Appended)
        assert outcome.messages[0].replayed
    assert last_position(database) == 7


def test_contents_are_compared_with_the_log_in_a_batch(writer: Writer, database: Database) -> None:
    writer.append(request("t", reply("one", id=given(1), timestamp=5)))
    new = [request("u", reply(str(number))) for number in range(4)]
    *_, again, other = writer.append_many(
        [
            *new,
            request("t", {"text": "one", "type": "reply", "id": given(1), "timestamp": 5}),
            request("t", reply("two", id=given(1))),
        ]
    )
    assert isinstance(again, Appended)
    assert again.messages[0].replayed
    assert isinstance(other, MessageConflict)
    check_log(database)


def test_of_a_batch_that_fails_nothing_is_there(
    own_database: Database,
) -> None:
    writer = Writer(own_database, clock=lambda: 0, new_id=iter(map(given, range(99))).__next__)
    with own_database.connection() as connection:
        connection.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql "
            "AS $$ BEGIN RAISE EXCEPTION 'no'; END $$"
        )
        connection.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON agentlog.events "
            "FOR EACH ROW WHEN (NEW.thread_id = 'bad') EXECUTE FUNCTION refuse()"
        )
    many = [request("t", reply(str(number))) for number in range(8)]
    for place in (4, 8):
        with pytest.raises(psycopg.errors.RaiseException):
            writer.append_many([*many[:place], request("bad", reply("x")), *many[place:]])
        assert last_position(own_database) == 0
    assert _version(writer.append_many(many)[-1]) == 8
    check_log(own_database)


def test_an_interrupted_append_leaves_nothing(
    writer: Writer, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = Batch.decide
    decided: list[Ready] = []

    def interrupted(batch: Batch, ready: Ready) -> Outcome:
        decided.append(ready)
        if len(decided) == 5:
            raise KeyboardInterrupt
        return decide(batch, ready)

    monkeypatch.setattr(Batch, "decide", interrupted)
    many = [request("t", reply(str(number))) for number in range(8)]
    with pytest.raises(KeyboardInterrupt):
        writer.append_many(many)
    assert last_position(database) == 0
    assert _version(writer.append_many(many)[-1]) == 8
    check_log(database)
