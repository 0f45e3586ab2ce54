"""Read models at the present together: each gets what it lacks, once, and none of it by halves."""

from collections.abc import Iterable

import psycopg
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.live_batch import LiveBatch, LiveStep
from agentlog.infrastructure.readmodels.projection import Projection
from agentlog.projections.readmodels.messages import Messages
from agentlog.projections.readmodels.registry import READ_MODELS, AnyReadModel
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
)
from tests.infrastructure.readmodels.tables import Talk, catch_up, live, rows_of


def say(writer: Writer, *texts: str) -> None:
    for text in texts:
        writer.append(AppendRequest(TENANT, "a", [reply(text)]))


def step(
    database: Database, models: Iterable[AnyReadModel], *, most_events: int = 100
) -> list[LiveStep]:
    """Do joint steps until there is no more; return what each did."""
    models = list(models)
    joint = LiveBatch(models, most_events=most_events)
    done: list[LiveStep] = []
    with database.connect() as connection:
        while not done or done[-1].more:
            done.append(joint.step(connection, [model.name for model in models]))
    return done


def said(database: Database) -> list[int]:
    rows = rows_of(database, Talk(), live(database, "talk").build)
    return [row[3] for row in rows]


def test_all_are_moved_in_one_transaction(database: Database, writer: Writer) -> None:
    for model in READ_MODELS.values():
        catch_up(database, model)
    writer.append(request("a", calls("x"), results("x"), reply("done")))
    assert step(database, READ_MODELS.values()) == [LiveStep(more=False, apart=[])]
    assert {live(database, name).position for name in READ_MODELS} == {last_position(database)}
    moved_by = fetch(database, "SELECT DISTINCT xmin::text FROM agentlog.tracking")
    assert len(moved_by) == 1


def test_each_is_given_what_it_lacks(database: Database, writer: Writer) -> None:
    catch_up(database, Messages())
    say(writer, "one", "two")
    catch_up(database, Talk())
    say(writer, "three")
    step(database, [Messages(), Talk()])
    assert said(database) == [3]
    assert len(rows_of(database, Messages(), 1)) == 3


def test_one_that_is_ahead_of_the_batch_stays_there(database: Database, writer: Writer) -> None:
    catch_up(database, Messages())
    say(writer, "one", "two", "three", "four", "five", "six")
    with database.connect() as connection:
        (number,) = builds.at_work(connection, Talk())
        Projection(Talk(), number, most_events=5).step(connection)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agentlog.infrastructure.readmodels.batch.MOST_BYTES", 1)  # an event a batch
        assert len(step(database, [Messages(), Talk()])) == 6
    assert said(database) == [6]
    assert len(rows_of(database, Messages(), 1)) == 6


def test_where_one_fails_none_has_come_further(database: Database, writer: Writer) -> None:
    for model in (Messages(), Talk()):
        catch_up(database, model)
    say(writer, "bad")
    with pytest.raises(ArithmeticError, match="cannot count 'bad'"):
        step(database, [Messages(), Talk(fails_on="bad")])
    assert rows_of(database, Messages(), 1) == []
    assert live(database, "messages").position == 0
    step(database, [Messages(), Talk()])
    assert said(database) == [1]


def test_one_that_stands_still_is_left_where_it_is(database: Database, writer: Writer) -> None:
    for model in (Messages(), ToolCalls(), Talk()):
        catch_up(database, model)
    say(writer, "one")
    with database.connect() as connection:
        builds.set_paused(connection, "messages", paused=True)
        builds.stop(connection, "tool_calls", 1, position=1, error="some")
    step(database, [Messages(), ToolCalls(), Talk()])
    assert [live(database, name).position for name in ("messages", "tool_calls", "talk")] == [
        0,
        0,
        1,
    ]


def test_one_that_somebody_else_is_at_is_passed_over(database: Database, writer: Writer) -> None:
    for model in (Messages(), Talk()):
        catch_up(database, model)
    say(writer, "one")
    with database.connect() as other, other.transaction():
        other.execute("SELECT FROM agentlog.projections WHERE name = 'messages' FOR UPDATE")
        step(database, [Messages(), Talk()])
    assert [live(database, name).position for name in ("messages", "talk")] == [0, 1]


def test_one_that_is_far_behind_or_not_there_is_for_its_worker(
    database: Database, writer: Writer
) -> None:
    catch_up(database, Messages())
    say(writer, *map(str, range(10)))
    catch_up(database, Talk())
    say(writer, "ten", "eleven")
    (joined,) = step(database, [Messages(), Talk(), ToolCalls()], most_events=5)
    assert joined == LiveStep(more=False, apart=["messages", "tool_calls"])
    assert said(database) == [12]
    assert live(database, "messages").position == 0


def test_a_build_of_another_version_is_left_be(database: Database, writer: Writer) -> None:
    catch_up(database, Talk(version=2))
    say(writer, "one")
    for version in (1, 3):
        (joined,) = step(database, [Talk(version=version)])
        assert joined == LiveStep(more=False, apart=["talk"])
    assert live(database, "talk").position == 0


def test_a_connection_that_breaks_leaves_all_or_nothing(database: Database, writer: Writer) -> None:
    for model in (Messages(), Talk()):
        catch_up(database, model)
    say(writer, "one")
    with database.connect() as connection:
        joint = LiveBatch([Messages(), Talk()])
        fetch(database, "SELECT pg_terminate_backend(%s, 9000)", connection.info.backend_pid)
        with pytest.raises(psycopg.OperationalError):
            joint.step(connection, ["messages", "talk"])
    step(database, [Messages(), Talk()])
    assert said(database) == [1]


def failed(call_id: str) -> JsonValue:
    """Return a result whose output says that it failed, and is cut out of the body."""
    answer = {"callId": call_id, "output": "Error: " + "long " * 2000}
    return {"type": "tool_results", "results": [answer]}


def check_rows(database: Database, models: Iterable[AnyReadModel]) -> None:
    """Check that there are the rows that builds of their own make."""
    for model in models:
        before = live(database, model.name).build
        kept = rows_of(database, model, before)
        with database.connect() as connection:
            builds.begin(connection, model)
        catch_up(database, model)
        assert rows_of(database, model, before + 1) == kept


def test_long_texts_are_there_for_those_that_read_them(database: Database, writer: Writer) -> None:
    models = list(READ_MODELS.values())
    for model in models:
        catch_up(database, model)
    writer.append(request("a", calls("x"), failed("x")))
    step(database, models)
    check_rows(database, models)


DRAFTS = st.lists(
    st.one_of(
        st.builds(calls, st.sampled_from("xyz")),
        st.builds(results, st.sampled_from("xyz")),
        st.builds(reply, st.text(st.characters(codec="utf-8"), max_size=20)),
        st.just({"type": "system", "text": "long " * 2000}),
        st.builds(failed, st.sampled_from("xyz")),
        st.just({"type": "input", "text": "more"}),
    ),
    min_size=1,
    max_size=6,
)
APPENDS = st.lists(
    st.tuples(st.sampled_from(["us", "them"]), st.sampled_from("tu"), DRAFTS, st.integers(0, 7)),
    min_size=1,
    max_size=6,
)


@examples(2, long=50)
@drawn(APPENDS)
def test_rows_made_together_are_the_rows_of_each_by_itself(
    server_url: str,
    template_database: str,
    appends: list[tuple[str, str, list[JsonValue], int]],
) -> None:
    models = list(READ_MODELS.values())
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=2) as database,
    ):
        writer = Writer(database, clock=Clock(), new_id=Ids())
        for tenant, thread_id, drafts, alone in appends:
            facts: list[JsonValue] = [{"type": "thread.started", "policy": "record"}]
            writer.append(AppendRequest(tenant, thread_id, drafts, facts))
            for model in models[:alone]:
                catch_up(database, model)
            step(database, models)
        for model in models:
            catch_up(database, model)
        check_rows(database, models)
