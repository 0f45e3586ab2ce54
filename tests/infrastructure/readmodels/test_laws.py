"""Rows of every read model in PostgreSQL: live or made anew they are the same, however odd."""

from typing import Any

from hypothesis import Phase, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.databases import new_database
from tests.histories import examples
from tests.infrastructure.appends import (
    NOON,
    STORY,
    TENANT,
    Clock,
    Ids,
    calls,
    reply,
    request,
    results,
    started,
)
from tests.infrastructure.readmodels.tables import catch_up, live, rows_of, seen
from tests.projections.readmodels.stories import stories

FAR = 253_402_300_799_999


@drawn(
    st.lists(st.tuples(stories, st.integers(0, 12)), min_size=8, max_size=10),
    st.integers(5, 20),
)
@settings(examples(3), phases=[Phase.generate])  # to make a log smaller takes minutes
def test_rows_made_anew_are_the_rows_that_came_live(
    server_url: str,
    template_database: str,
    threads: list[tuple[list[Event], int]],
    most_events: int,
) -> None:
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=2) as database,
    ):
        writer = Writer(database, clock=Clock(), new_id=Ids())
        writer.append(request("story", *STORY))
        for early in (True, False):  # all threads go on after the tables caught up
            for number, (events, cut) in enumerate(threads):
                part = events[:cut] if early else events[cut:]
                writer.append(_appending(f"thread-{number}", part))
            _catch_up(database, most_events=most_events)
        for name, model in READ_MODELS.items():
            before = live(database, name).build
            kept = rows_of(database, model, before)
            assert kept
            with database.connect() as connection:
                assert builds.begin(connection, model)
            catch_up(database, model, most_events=5000)
            assert live(database, name).build == before + 1
            assert rows_of(database, model, before + 1) == kept


def _appending(thread_id: str, events: list[Event]) -> AppendRequest:
    """Return the request to append what a story has; a thread starts and closes but once."""
    drafts = [
        {**{key: value for key, value in event.raw.items() if key != "id"}, **_beside(event)}
        for event in events
        if event.message is not None and not event.type.startswith("thread.")
    ]
    notes = [
        {"type": event.type, "metadata": event.raw["metadata"]}
        for event in events
        if event.type == "thread.annotated"
    ]
    return AppendRequest(TENANT, thread_id, drafts, [started(policy="record"), *notes])


def _beside(event: Event) -> dict[str, Any]:
    """Return the metadata of a message; a response id that is no text would be refused."""
    metadata = {
        key: value
        for key, value in event.metadata.items()
        if key != "responseId" or isinstance(value, str)
    }
    return {"metadata": metadata} if metadata else {}


def _catch_up(database: Database, *, most_events: int = 50) -> None:
    for model in READ_MODELS.values():
        catch_up(database, model, most_events=most_events)


def test_what_no_column_holds_is_made_to_fit(database: Database, writer: Writer) -> None:
    odd = "nul\x00 — 東京 \u2028 \U0001f600 \u202e \ufffd"
    usage = {"inputTokens": 2**70, "outputTokens": 2**63 - 1}
    metadata = {"responseId": odd, "actor": odd}
    writer.append(
        request(
            "odd",
            {"type": "llm_request", "model": odd, "timestamp": 0},
            {"type": "llm_response", "usage": usage, "timestamp": FAR, "metadata": metadata},
            {"type": "approval_request", "callId": odd, "tool": odd, "timestamp": 0},
            calls(odd, timestamp=FAR),
            facts=[started(policy="record", goal=odd, metadata={odd: odd})],
        )
    )
    _catch_up(database)
    writer.append(
        request(
            "odd",
            {"type": "approval_response", "callId": odd, "approved": True, "metadata": metadata},
            {"type": "tool_results", "results": [{"callId": odd, "output": odd}]},
            reply(odd, timestamp=FAR, metadata=metadata),
        )
    )
    _catch_up(database)
    fits = odd.replace("\x00", "\ufffd")
    url = database._conninfo
    assert seen(
        url,
        "SELECT model, response_id, input_tokens, output_tokens, latency_ms, outcome "
        "FROM agentlog_analytics.model_calls",
        tenant=TENANT,
    ) == [(fits, fits, None, 2**63 - 1, float(FAR), "answered")]
    assert seen(
        url,
        "SELECT call_id, tool, outcome, answered_by FROM agentlog_analytics.approvals",
        tenant=TENANT,
    ) == [(fits, fits, "granted", fits)]
    assert seen(
        url, "SELECT call_id, outcome FROM agentlog_analytics.tool_calls", tenant=TENANT
    ) == [(fits, "unstated")]
    assert seen(
        url,
        "SELECT goal, metadata::jsonb, input_tokens, output_tokens, messages, duration_ms "
        "FROM agentlog_analytics.threads",
        tenant=TENANT,
    ) == [(fits, {fits: fits}, None, 2**63 - 1, 7, float(FAR))]


def test_latencies_are_the_producers_and_come_to_percentiles(
    database: Database, writer: Writer
) -> None:
    waits = [40, 10, 30, 20, 100]
    for number, wait in enumerate(waits):
        asked = NOON + 1000 * number
        writer.append(
            request(
                f"thread-{number}",
                {"type": "llm_request", "model": "m", "timestamp": asked},
                {"type": "llm_response", "timestamp": asked + wait},
                calls("a", timestamp=asked),
                results("a", timestamp=asked + wait * 2),
            )
        )
    writer.append(request("without-times", calls("a"), results("a"), {"type": "llm_request"}))
    _catch_up(database)
    figures = (
        "count(*), count(latency_ms), "
        "percentile_cont(ARRAY[0.5, 0.75]) WITHIN GROUP (ORDER BY latency_ms)"
    )
    for table, factor in (("model_calls", 1), ("tool_calls", 2)):
        query = f"SELECT {figures} FROM agentlog_analytics.{table}"  # noqa: S608 - one of ours
        rows = seen(database._conninfo, query, tenant=TENANT)
        assert rows == [(6, 5, [30 * factor, 40 * factor])]
    durations = "SELECT duration_ms FROM agentlog_analytics.threads ORDER BY thread_id"
    rows = seen(database._conninfo, durations, tenant=TENANT)
    assert rows == [(2.0 * wait,) for wait in waits] + [(None,)]
