"""Rows of read models after an erasure are those of a table that is made anew."""

from typing import Any

import pytest
from psycopg.sql import SQL, Identifier

from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.infrastructure.appends import STORY, fetch, reply
from tests.infrastructure.erasure.conftest import redactor_on, threads_on
from tests.infrastructure.readmodels.tables import Talk, catch_up

SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased


@pytest.fixture
def threads(own_database: Database) -> Threads:
    """A store on a database with projections of its own."""
    return threads_on(own_database)


@pytest.fixture
def redactor(own_database: Database, threads: Threads) -> Redactor:
    """Whom the tests ask to erase."""
    return redactor_on(own_database, threads)


def _tables(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of every build, by the name of its table."""
    with database.connection() as connection:
        known = builds.builds(connection)
        return {
            f"{build.name}_{build.build}": sorted(
                connection.execute(
                    SQL("SELECT * FROM {}").format(
                        Identifier("agentlog_readmodels", f"{build.name}_{build.build}")
                    )
                ).fetchall(),
                key=repr,
            )
            for build in known
        }


def _rebuilt(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of builds that are made anew, by the name of their read model."""
    with database.connection() as connection:
        for model in READ_MODELS.values():
            builds.begin(connection, model)
    for model in READ_MODELS.values():
        catch_up(database, model, most_events=500)
    return {name.rpartition("_")[0]: rows for name, rows in _tables(database).items()}


def _say(threads: Threads) -> None:
    threads.start("t", {"policy": "record", "goal": SECRET, "metadata": {"who": SECRET}})
    for draft in [*STORY, reply(SECRET, metadata={"actor": SECRET}), *STORY]:
        threads.append("t", [draft])
        threads.append("beside", [reply("elsewhere", metadata={"actor": "b"})])
    threads.append("t", [{"type": "worker_spawned", "workerId": "z", "objective": SECRET}])


@pytest.mark.parametrize("which", ["all", "some"])
def test_they_are_those_of_a_rebuild(
    threads: Threads, redactor: Redactor, own_database: Database, which: str
) -> None:
    _say(threads)
    for model in READ_MODELS.values():
        catch_up(own_database, model, most_events=500)
    assert SECRET in str(_tables(own_database))
    events = threads.messages("t")
    if which == "all":
        redactor.redact("t", None, "why")
    else:
        said = [event.message_id for event in events if SECRET.encode() in event.body]
        redactor.redact(
            "t", [message_id for message_id in said if message_id != events[0].message_id], "why"
        )
    assert SECRET not in str(_tables(own_database)) or which != "all"
    # not yet with the redaction itself, which the projections come to now
    for model in READ_MODELS.values():
        catch_up(own_database, model, most_events=500)
    incremental = _tables(own_database)
    assert {name.rpartition("_")[0]: rows for name, rows in incremental.items()} == _rebuilt(
        own_database
    )


def test_those_of_a_build_that_stands_still_half_way_are_right_too(
    threads: Threads, redactor: Redactor, own_database: Database
) -> None:
    _say(threads)
    messages = READ_MODELS["messages"]
    for model in (READ_MODELS["threads"], messages):
        catch_up(own_database, model, most_events=500)
    with own_database.connection() as connection:
        builds.begin(connection, messages)  # building, at nothing
        builds.set_paused(connection, "threads", paused=True)
    threads.append("t", [reply(SECRET)])
    redactor.redact("t", None, "why")
    assert SECRET not in str(_tables(own_database))
    with own_database.connection() as connection:
        builds.set_paused(connection, "threads", paused=False)
    for model in READ_MODELS.values():
        catch_up(own_database, model, most_events=500)
    tables = {name.rpartition("_")[0]: rows for name, rows in _tables(own_database).items()}
    assert tables == _rebuilt(own_database)


def test_a_build_of_other_code_loses_the_threads_rows(
    threads: Threads, redactor: Redactor, own_database: Database
) -> None:
    threads.append("t", [reply(SECRET)])
    threads.append("u", [reply("stays")])
    catch_up(own_database, Talk())  # which the registry does not know
    redactor.redact("t", None, "why")
    ((row,),) = fetch(own_database, "SELECT talk_1::text FROM agentlog_readmodels.talk_1")
    assert "stays" in row


def test_one_whose_code_fails_stands_still_without_them(
    threads: Threads, redactor: Redactor, own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads.append("t", [reply(SECRET)])
    model = READ_MODELS["messages"]
    catch_up(own_database, model)

    def fail(*_: object) -> None:
        raise ArithmeticError("not today")

    monkeypatch.setattr(type(model), "fold", fail)
    redactor.redact("t", None, "why")
    assert fetch(own_database, "SELECT count(*) FROM agentlog_readmodels.messages_1") == [(0,)]
    with own_database.connection() as connection:
        (build,) = builds.builds(connection)
    assert build.standing == "stopped"
    assert "rebuild it" in str(build.error)
