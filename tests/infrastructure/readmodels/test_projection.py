"""Projections: exactly once, whatever happens; stopped where they must, switched when they may."""

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection import Projection, StepResult
from agentlog.projections.readmodels.messages import Messages
from agentlog.projections.readmodels.registry import AnyReadModel
from agentlog.projections.readmodels.tool_calls import ToolCalls
from tests.databases import new_database
from tests.histories import examples
from tests.infrastructure.appends import (
    TENANT,
    Clock,
    Ids,
    calls,
    fetch,
    last_position,
    reply,
    request,
    results,
    started,
)
from tests.infrastructure.readmodels.tables import Talk, all_builds, catch_up, live, rows_of, seen


def say(writer: Writer, thread_id: str, *texts: str, tenant: str = TENANT) -> None:
    for text in texts:
        writer.append(AppendRequest(tenant, thread_id, [reply(text)]))


def talk(database: Database) -> dict[str, tuple[int, str]]:
    rows = rows_of(database, Talk(), live(database, "talk").build)
    return {thread_id: (said, last) for _, thread_id, _, said, last in rows}


def test_the_first_build_is_live_at_once_and_follows_the_log(
    database: Database, writer: Writer
) -> None:
    say(writer, "a", "one", "two")
    say(writer, "b", "three")
    catch_up(database, Talk(), most_events=1)
    assert talk(database) == {"a": (2, "two"), "b": (1, "three")}
    say(writer, "a", "four")
    writer.append(request("c", {"type": "input", "text": "what it is not about moves it too"}))
    catch_up(database, Talk())
    assert talk(database) == {"a": (3, "four"), "b": (1, "three")}
    assert live(database, "talk").position == last_position(database) == 5


def test_steps_of_many_workers_count_each_event_once(database: Database, writer: Writer) -> None:
    for number in range(60):
        say(writer, f"thread-{number % 7}", f"{number}")
    with database.connect() as connection:
        (build,) = builds.at_work(connection, Talk())
    gate = threading.Barrier(4)

    def work(_: int) -> None:
        projection = Projection(Talk(), build, most_events=2)
        with database.connect() as connection:
            gate.wait()
            while live(database, "talk").lag:
                projection.step(connection)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert sum(said for said, _ in talk(database).values()) == 60


def test_it_stops_before_what_it_cannot_process_and_goes_on_once_mended(
    database: Database, writer: Writer
) -> None:
    say(writer, "a", "one", "two", "three", "bad", "five")
    catch_up(database, Talk(fails_on="bad"), most_events=100)
    stopped = live(database, "talk")
    assert stopped.standing == "stopped"
    assert stopped.stopped_at == 4
    assert stopped.position == 3
    assert stopped.error is not None
    assert "a version 4" in stopped.error
    assert "cannot count 'bad'" in stopped.error
    assert talk(database) == {"a": (3, "three")}, "what came before it is there"
    catch_up(database, Talk())
    assert talk(database) == {"a": (3, "three")}, "it stands still until somebody says so"
    with database.connect() as connection:
        builds.set_paused(connection, "talk", paused=False)
    catch_up(database, Talk())
    assert talk(database) == {"a": (5, "five")}
    assert live(database, "talk").standing == "live"


def test_what_the_table_refuses_stops_it_too(database: Database, writer: Writer) -> None:
    say(writer, "a", "one", "two")
    catch_up(database, Talk())
    build = live(database, "talk").build
    fetch_none(database, f"ALTER TABLE agentlog_readmodels.talk_{build} ADD CHECK (last <> 'bad')")
    say(writer, "a", "three", "bad")
    say(writer, "b", "four")
    catch_up(database, Talk(), most_events=100)
    assert live(database, "talk").stopped_at == 4
    assert talk(database) == {"a": (3, "three")}


def fetch_none(database: Database, statement: str) -> None:
    with database.connection() as connection:
        connection.execute(statement.encode())


def test_a_paused_one_stands_still(database: Database, writer: Writer) -> None:
    say(writer, "a", "one")
    catch_up(database, Talk())
    with database.connect() as connection:
        builds.set_paused(connection, "talk", paused=True)
    say(writer, "a", "two")
    catch_up(database, Talk())
    assert talk(database) == {"a": (1, "one")}
    with database.connect() as connection:
        builds.set_paused(connection, "talk", paused=False)
    catch_up(database, Talk())
    assert talk(database) == {"a": (2, "two")}


def test_a_changed_one_is_built_beside_the_old_and_switched_when_it_has_caught_up(
    database: Database, writer: Writer, database_url: str
) -> None:
    say(writer, "a", "one", "two")
    catch_up(database, Talk())
    query = "SELECT said FROM agentlog_analytics.talk"
    assert seen(database_url, query, tenant=TENANT) == [(2,)]
    changed = Talk(version=2, step=10)
    with database.connect() as connection:
        (second,) = builds.at_work(connection, changed)
        projection = Projection(changed, second, most_events=1)
        assert projection.step(connection) is StepResult.MORE
        assert [build.state for build in all_builds(database, "talk")] == ["live", "building"]
        assert seen(database_url, query, tenant=TENANT) == [(2,)], "the old one stands meanwhile"
        while projection.step(connection) is StepResult.MORE:
            pass
    assert seen(database_url, query, tenant=TENANT) == [(20,)]
    assert [build.build for build in all_builds(database, "talk")] == [second]
    tables = fetch(
        database, "SELECT tablename FROM pg_tables WHERE schemaname = 'agentlog_readmodels'"
    )
    assert tables == [(f"talk_{second}",)], "the old table is gone"
    assert fetch(database, "SELECT application_name FROM agentlog.tracking") == [
        (f"talk.{second}",)
    ]


def test_older_code_leaves_what_newer_code_has_begun(database: Database, writer: Writer) -> None:
    say(writer, "a", "one")
    catch_up(database, Talk(version=2))
    with database.connect() as connection:
        assert builds.at_work(connection, Talk(version=1)) == []


def test_a_build_for_a_version_that_never_came_makes_way(
    database: Database, writer: Writer
) -> None:
    say(writer, "a", "one")
    catch_up(database, Talk())
    with database.connect() as connection:
        builds.at_work(connection, Talk(version=2))
        (third,) = builds.at_work(connection, Talk(version=3))
    assert [(build.build, build.version) for build in all_builds(database, "talk")] == [
        (1, 1),
        (third, 3),
    ]


def test_a_rebuild_does_not_hold_up_what_is_live(database: Database, writer: Writer) -> None:
    say(writer, "a", "one")
    catch_up(database, Talk())
    with database.connect() as connection:
        assert builds.begin(connection, Talk())
        assert not builds.begin(connection, Talk()), "one at a time"
    say(writer, "a", "two")
    with database.connect() as connection:
        old = Projection(Talk(), live(database, "talk").build)
        while old.step(connection) is StepResult.MORE:
            pass
    assert talk(database) == {"a": (2, "two")}
    catch_up(database, Talk())
    assert live(database, "talk").build == 2
    assert talk(database) == {"a": (2, "two")}


def test_tenants_share_tables_and_see_their_own(
    database: Database, writer: Writer, database_url: str
) -> None:
    say(writer, "a", "ours", tenant="us")
    say(writer, "a", "theirs", tenant="them")
    say(writer, "a", "ours again", tenant="us")
    catch_up(database, Talk(), most_events=1)
    query = "SELECT tenant, said, last FROM agentlog_analytics.talk"
    assert seen(database_url, query, tenant="us") == [("us", 2, "ours again")]
    assert seen(database_url, query, tenant="them") == [("them", 1, "theirs")]
    assert seen(database_url, query, tenant="nobody") == []


def test_columns_are_commented_where_analysts_look(database: Database) -> None:
    catch_up(database, ToolCalls())
    comments = fetch(
        database,
        "SELECT attname, col_description(attrelid, attnum) FROM pg_attribute "
        "WHERE attrelid = 'agentlog_analytics.tool_calls'::regclass AND attnum > 0 "
        "ORDER BY attnum",
    )
    assert comments == [(column.name, column.comment) for column in ToolCalls().table.columns]


def test_a_broken_connection_writes_nothing_twice(database: Database, writer: Writer) -> None:
    say(writer, "a", *map(str, range(20)))
    with database.connect() as connection:
        (build,) = builds.at_work(connection, Talk())
    projection = Projection(Talk(), build, most_events=3)
    while live(database, "talk").lag:
        with database.connect() as connection:
            projection.step(connection)
            fetch(database, "SELECT pg_terminate_backend(%s, 9000)", connection.info.backend_pid)
            with pytest.raises(psycopg.OperationalError):
                projection.step(connection)
    assert talk(database) == {"a": (20, "19")}


def test_a_database_that_takes_no_writes_stops_none(database: Database, writer: Writer) -> None:
    say(writer, "a", "one", "two")
    with database.connect() as connection:
        (build,) = builds.at_work(connection, Talk())
        projection = Projection(Talk(), build, most_events=1)
        connection.execute("SET default_transaction_read_only = on")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            projection.step(connection)
        connection.execute("SET default_transaction_read_only = off")
        while live(database, "talk").lag:
            projection.step(connection)
    assert talk(database) == {"a": (2, "two")}


DRAFTS = st.lists(
    st.one_of(
        st.builds(calls, st.sampled_from("xyz"), st.sampled_from("xyz")),
        st.builds(results, st.sampled_from("xyz")),
        st.builds(reply, st.text(st.characters(codec="utf-8"), max_size=20)),
        st.just({"type": "vendor.odd", "payload": {"a": [10**30, "\x00", 1.5]}}),
    ),
    max_size=12,
)


@examples(5)
@drawn(st.lists(st.tuples(st.sampled_from(["t", "u"]), DRAFTS), max_size=5), st.data())
def test_a_rebuild_equals_what_followed_the_log(
    server_url: str,
    template_database: str,
    appends: list[tuple[str, list[JsonValue]]],
    data: st.DataObject,
) -> None:
    models: list[AnyReadModel] = [Messages(), ToolCalls(), Talk()]
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=2) as database,
    ):
        writer = Writer(database, clock=Clock(), new_id=Ids())
        for thread_id, drafts in appends:
            facts = [started(policy="record")]
            writer.append(request(thread_id, *drafts, facts=facts))
            if data.draw(st.booleans()):
                for model in models:
                    catch_up(database, model, most_events=data.draw(st.integers(1, 9)))
        for model in models:
            catch_up(database, model)
            before = live(database, model.name).build
            kept = rows_of(database, model, before)
            with database.connect() as connection:
                builds.begin(connection, model)
            catch_up(database, model, most_events=3)
            assert live(database, model.name).build == before + 1
            assert rows_of(database, model, before + 1) == kept
