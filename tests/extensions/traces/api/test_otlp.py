"""OTLP over HTTP: both encodings, zipped, repeated, in pieces, broken."""

import gzip
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count, permutations
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from agentlog.api.http.request.limits import RequestLimits
from agentlog.domain.json.text import print_bytes
from agentlog.extensions.traces.infrastructure.ingest import TraceIngest
from agentlog.extensions.traces.projections.export.otlp import export_request
from agentlog.extensions.traces.projections.export.otlp_protobuf import printed
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import READ_MODELS
from agentlog.projections.registry import choose_view
from agentlog.projections.view import render
from tests.api.conftest import MAX_BODY_BYTES, app_over, end_following, threads_over
from tests.bounds.exports import SPANS, zipped
from tests.extensions.traces.spans import (
    ANSWER,
    CALL,
    RESULT,
    SYSTEM,
    TRACE,
    USER,
    Item,
    chat,
    said,
    span,
    story,
    tool,
)
from tests.infrastructure.appends import TENANT, Clock, Ids, record
from tests.infrastructure.readmodels.tables import catch_up

OPENAI = choose_view("openai", {})
JSON, PROTOBUF = "application/json", "application/x-protobuf"
NUMBERS = count(1)
TOLD = ["system", "input", "tool_calls", "tool_results", "reply"]


def send(client: TestClient, spans: list[Item], **headers: str) -> Response:
    body = print_bytes(export_request(spans))
    return client.post("/otlp/v1/traces", content=body, headers={"content-type": JSON, **headers})


def types(client: TestClient, thread_id: str) -> list[str]:
    """Return the types of a thread's messages, but for its start, spans and model calls."""
    items = client.get(f"/v1/threads/{thread_id}/messages?limit=1000").json()["items"]
    kinds = [item["message"]["type"] for item in items]
    return [kind for kind in kinds if not kind.startswith(("otel.span", "thread.", "llm_"))]


def listed(client: TestClient) -> set[str]:
    return {item["threadId"] for item in client.get("/v1/threads").json()["items"]}


def test_spans_become_a_thread(client: TestClient) -> None:
    answer = send(client, story(gen_ai__conversation__id="desk-7"))
    assert (answer.status_code, answer.json()) == (200, {})
    assert listed(client) == {"desk-7"}
    assert types(client, "desk-7") == TOLD
    items = client.get("/v1/threads/desk-7/messages?filter=type:llm_response").json()["items"]
    assert [item["message"]["usage"] for item in items] == [
        {"inputTokens": 11, "outputTokens": 7}
    ] * 2
    (result,) = client.get("/v1/threads/desk-7/messages?filter=type:tool_results").json()["items"]
    assert result["message"]["results"][0]["error"] is None
    assert result["message"]["timestamp"] == 1_767_600_003_500
    assert client.get("/v1/threads/desk-7").json()["anomalies"] == 0


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("media_type", [JSON, PROTOBUF])
def test_both_encodings_say_the_same_and_are_answered_in_kind(
    client: TestClient, media_type: str, *, zipped: bool
) -> None:
    spans = story(gen_ai__conversation__id="desk-7", rate=0.5, tags=["a", "b"], on=True)
    body = printed(spans) if media_type == PROTOBUF else print_bytes(export_request(spans))
    headers = {"content-type": media_type}
    if zipped:
        body, headers = gzip.compress(body), {**headers, "content-encoding": "gzip"}
    answer = client.post("/otlp/v1/traces", content=body, headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == media_type
    assert answer.content == (b"" if media_type == PROTOBUF else b"{}")
    assert types(client, "desk-7") == TOLD
    kept = client.get("/v1/threads/desk-7/messages?filter=type:otel.span").json()["items"]
    root = kept[0]["message"]["payload"]
    assert root["traceId"] == TRACE
    assert root["attributes"]["rate"] == 0.5
    assert root["attributes"]["tags"] == ["a", "b"]
    assert root["attributes"]["on"] is True
    assert root["resource"] == {"service.name": "agentlog"}


def test_the_same_batch_ten_times_is_kept_once(client: TestClient, app: FastAPI) -> None:
    spans = story(gen_ai__conversation__id="desk-7")
    send(client, spans)
    before = client.get("/v1/threads/desk-7").json()["version"]
    for n in range(9):
        if n > 4:  # another process has none of it in memory
            tenant = app.state.tenants[TENANT]
            tenant.traces = TraceIngest(tenant.threads)
        assert send(client, spans).status_code == 200
    assert client.get("/v1/threads/desk-7").json()["version"] == before


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(order, id=str(order), marks=[pytest.mark.slow] if number % 5 else [])
        for number, order in enumerate(permutations(range(4)))
    ],
)
def test_spans_come_in_any_order_one_by_one(client: TestClient, order: list[int]) -> None:
    spans = story(gen_ai__conversation__id="desk-7")
    for sent in spans:
        sent["attributes"]["gen_ai.conversation.id"] = "desk-7"
    for n in order:
        assert send(client, [spans[n]]).status_code == 200
    kinds = types(client, "desk-7")
    assert sorted(kind for kind in kinds if not kind.startswith("otel.")) == sorted(TOLD)
    assert client.get("/v1/threads/desk-7").json()["anomalies"] == 0
    summaries = client.get("/v1/threads/desk-7/messages?filter=type:llm_response").json()["items"]
    assert len(summaries) == 2
    view = client.get("/v1/threads/desk-7/views/openai?bare=true").json()
    assert next(message for message in view if message["role"] == "tool")["content"] == "Hamburg"


def test_a_search_finds_what_was_said_once(own_database: Database) -> None:
    threads = threads_over(own_database)
    app = app_over(own_database, threads)
    with TestClient(app) as client:
        send(client, story(gen_ai__conversation__id="desk-7"))
        catch_up(own_database, READ_MODELS["message_words"])
        hits = client.get("/v1/search?q=4711").json()["items"]
    end_following(app)
    assert [hit["type"] for hit in hits] == ["tool_calls", "input"]


def test_many_processes_take_spans_of_one_conversation_each_once(threads: Threads) -> None:
    turns = [said("user" if n % 2 == 0 else "assistant", f"turn {n}") for n in range(24)]
    spans = [
        chat(n, turns[:n], turns[n], gen_ai__conversation__id="desk-7") for n in range(1, 24, 2)
    ]

    def take(number: int) -> int:
        """Take all spans, in another order each."""
        ingest = TraceIngest(threads)
        some = spans[number:] + spans[:number]
        return sum(ingest.take_spans([sent]).count for sent in some)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(take, range(4))) == 0
    counts = Counter(event.type for event in threads.messages("desk-7"))
    assert counts["otel.span"] == counts["llm_response"] == len(spans)
    view = [placed.item for placed in render(OPENAI, threads.messages("desk-7")).items]
    texts = Counter(message["content"] for message in view)
    assert texts == {f"turn {n}": 1 for n in range(24)}


def test_children_whose_parent_comes_late_or_never_are_there_at_once(client: TestClient) -> None:
    *children, root = story(gen_ai__conversation__id="desk-7")
    send(client, children)
    assert listed(client) == {TRACE}
    assert types(client, TRACE) == TOLD
    for _ in range(2):
        send(client, [root])
    assert listed(client) == {TRACE}
    assert client.get(f"/v1/threads/{TRACE}").json()["metadata"]["conversation"] == "desk-7"
    send(client, [chat(9, [said("user", "And 4712?")], ANSWER, parent=1), root])
    assert listed(client) == {TRACE}
    assert [thread["threadId"] for thread in _named(client, "desk-7")] == [TRACE]


def _named(client: TestClient, name: str) -> list[Any]:
    items: list[Any] = client.get(f"/v1/threads?filter=metadata.conversation:{name}").json()[
        "items"
    ]
    return items


def test_two_conversations_of_a_trace_and_one_of_two_traces(client: TestClient) -> None:
    one: Item = {"gen_ai__conversation__id": "one"}
    other: Item = {"session__id": "other"}
    send(
        client,
        [
            span(1, "POST /chat"),
            chat(2, [USER], ANSWER, parent=1, **one),
            chat(3, [said("user", "Hello")], ANSWER, parent=1, **other),
        ],
    )
    again = said("user", "And 4712?")
    more = chat(2, [USER, ANSWER, again], said("assistant", "Gone."), trace="ab" * 16, **one)
    send(client, [more])
    assert listed(client) == {"one", "other"}
    assert types(client, "one") == ["input", "reply", "input", "reply"]
    assert types(client, "other") == ["input", "reply"]


def test_what_is_not_of_agents_is_refused_with_a_partial_success(client: TestClient) -> None:
    spans = [span(1, "GET /", http__route="/"), chat(2, [USER], ANSWER)]
    answer = send(client, spans)
    partial = {"rejectedSpans": "1", "errorMessage": "not of the GenAI conventions"}
    assert (answer.status_code, answer.json()) == (200, {"partialSuccess": partial})
    answer = client.post(
        "/otlp/v1/traces", content=printed(spans), headers={"content-type": PROTOBUF}
    )
    partial_success = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (partial_success.rejected_spans, partial_success.error_message) == (
        1,
        "not of the GenAI conventions",
    )
    assert listed(client) == {TRACE}


def test_spans_of_a_closed_thread_are_refused_and_others_kept(client: TestClient) -> None:
    client.post("/v1/threads", json={"threadId": "closed"})
    client.post("/v1/threads/closed/close", json={})
    spans = [
        chat(2, [USER], ANSWER, gen_ai__conversation__id="closed"),
        chat(3, [USER], ANSWER, gen_ai__conversation__id="open"),
    ]
    partial_success = send(client, spans).json()["partialSuccess"]
    assert partial_success["rejectedSpans"] == "1"
    assert "closed" in partial_success["errorMessage"]
    assert types(client, "open") == ["input", "reply"]


def test_spans_of_a_hidden_thread_are_taken_and_it_stays_hidden(
    client: TestClient, threads: Threads
) -> None:
    assert send(client, story(gen_ai__conversation__id="desk-7")).json() == {}
    record(threads, "desk-7", "thread.hidden")
    context = [SYSTEM, USER, CALL, RESULT, ANSWER, USER]
    assert send(client, [chat(5, context, ANSWER, gen_ai__conversation__id="desk-7")]).json() == {}
    assert listed(client) == set()
    record(threads, "desk-7", "thread.shown")
    assert types(client, "desk-7") == [*TOLD, "input", "reply"]


def test_a_context_that_was_cut_or_summed_up_is_marked_and_not_repeated(
    client: TestClient,
) -> None:
    turns = [said("user" if n % 2 == 0 else "assistant", f"turn {n}") for n in range(6)]
    for n in (1, 3, 5):
        send(client, [chat(n, [SYSTEM, *turns[:n]], turns[n])])
    summed = [SYSTEM, said("user", "So far: turns 0 to 2."), *turns[3:]]
    send(client, [chat(7, [*summed, said("user", "turn 6")], said("assistant", "turn 7"))])
    assert types(client, TRACE) == [
        "system",
        *["input", "reply"] * 3,
        "otel.context_rewritten",
        "input",
        "input",
        "reply",
    ]
    send(client, [chat(9, [*summed, said("user", "turn 6")], said("assistant", "turn 7"))])
    assert types(client, TRACE)[-1] == "reply"
    assert types(client, TRACE).count("otel.context_rewritten") == 1


def test_the_log_events_of_a_call_and_its_span_are_one_story(client: TestClient) -> None:
    events: list[tuple[str, Item]] = [
        ("gen_ai.system.message", {"content": "be brief"}),
        ("gen_ai.user.message", {"content": "Where is 4711?"}),
        ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": {"content": "Here."}}),
        ("http.request", {"content": "GET /"}),
    ]
    records = [
        {
            "traceId": TRACE,
            "spanId": "2" * 16,
            "eventName": name,
            "timeUnixNano": 1_767_600_000_000_000_000,  # a bare number, as some send it
            "body": {"kvlistValue": {"values": _pairs(body)}},
        }
        for name, body in events
    ]
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    for _ in range(2):
        answer = client.post("/otlp/v1/logs", json=body)
        assert answer.json()["partialSuccess"]["rejectedLogRecords"] == "1"
    send(client, [span(2, "chat", gen_ai__operation__name="chat", gen_ai__system="openai")])
    kinds = types(client, TRACE)
    assert [kind for kind in kinds if kind != "otel.log"] == ["system", "input", "reply"]
    assert kinds.count("otel.log") == 3
    responses = client.get(f"/v1/threads/{TRACE}/messages?filter=type:llm_response").json()["items"]
    assert len(responses) == 1


def test_an_empty_export_of_logs_is_answered(client: TestClient) -> None:
    answer = client.post("/otlp/v1/logs", content=b"", headers={"content-type": PROTOBUF})
    assert answer.status_code == 200
    assert ExportLogsServiceResponse.FromString(answer.content) == ExportLogsServiceResponse()


def _pairs(value: Item) -> list[Item]:
    return [
        {
            "key": key,
            "value": {"kvlistValue": {"values": _pairs(inner)}}
            if isinstance(inner, dict)
            else {"intValue": inner}
            if isinstance(inner, int)
            else {"stringValue": inner},
        }
        for key, inner in value.items()
    ]


@pytest.mark.parametrize(
    ("body", "headers", "status", "name"),
    [
        (b"\xff\xff", {"content-type": PROTOBUF}, 400, "invalid-otlp"),
        (b"{", {"content-type": JSON}, 400, "invalid-json"),
        (b'{"resourceSpans": 1}', {"content-type": JSON}, 400, "invalid-otlp"),
        (b"{}", {"content-type": "text/plain"}, 415, "unknown-media-type"),
        (b"{}", {"content-type": JSON, "content-encoding": "br"}, 415, "unknown-coding"),
        (b"{}", {"content-type": JSON, "content-encoding": "gzip"}, 400, "invalid-otlp"),
        (
            gzip.compress(b"{}", mtime=0)[:-4],
            {"content-type": JSON, "content-encoding": "gzip"},
            400,
            "invalid-otlp",
        ),
        (
            gzip.compress(b" " * (MAX_BODY_BYTES + 1), mtime=0),
            {"content-type": JSON, "content-encoding": "gzip"},
            413,
            "body-too-large",
        ),
    ],
)
def test_a_malformed_body_is_refused(
    client: TestClient, body: bytes, headers: dict[str, str], status: int, name: str
) -> None:
    answer = client.post("/otlp/v1/traces", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.json()["type"] == f"urn:agentlog:problem:{name}"
    assert listed(client) == set()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("traceId", "4bf9"),
        ("traceId", "S/kvNXezTaajzpKdDg5HNg=="),  # as protobuf's own JSON has it
        ("spanId", 7),
        ("startTimeUnixNano", "soon"),
        ("attributes", {"a": 1}),
        ("attributes", [{"key": "a", "value": {"textValue": ""}}]),
        ("events", [1]),
        ("status", {"code": []}),
    ],
)
def test_a_malformed_span_is_refused_with_its_place(
    client: TestClient, key: str, value: object
) -> None:
    body: Any = export_request([chat(2, [USER], ANSWER)])
    body["resourceSpans"][0]["scopeSpans"][0]["spans"][0][key] = value
    answer = client.post("/otlp/v1/traces", json=body)
    assert answer.status_code == 400, answer.text
    assert f"resourceSpans[0].scopeSpans[0].spans[0].{key}" in answer.json()["detail"]


numbers = st.integers(-3, 2**64) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
places = st.sampled_from(
    [
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.usage.input_tokens",
        "gen_ai.response.finish_reasons",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.id",
        "gen_ai.agent.name",
        "gen_ai.conversation.id",
        "openinference.span.kind",
        "llm.input_messages.0.message.content",
        "llm.input_messages.0.message",
        "llm.input_messages.0.message.tool_calls.0.tool_call.id",
        "llm.invocation_parameters",
        "langfuse.observation.type",
        "langfuse.observation.input",
        "langfuse.observation.usage_details",
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(attributes=st.dictionaries(places, values, max_size=4), as_text=st.booleans())
def test_no_value_of_an_attribute_brings_a_failure(
    threads: Threads, *, attributes: Item, as_text: bool
) -> None:
    given = {k: json.dumps(v) if as_text else v for k, v in attributes.items()}
    trace = f"{next(NUMBERS):032x}"
    for sent in (chat(2, [SYSTEM, USER], CALL, trace=trace), tool(3, trace=trace)):
        changed = {**sent, "attributes": {**sent["attributes"], **given}}
        refused = TraceIngest(threads).take_spans([changed])
        assert not refused.count, refused.reasons


@pytest.mark.parametrize("media_type", [JSON, PROTOBUF])
@pytest.mark.parametrize(
    ("limits", "name"),
    [
        (RequestLimits(max_batch_messages=3), "too-many-messages"),
        (RequestLimits(max_json_parts=9), "too-many-parts"),
    ],
)
def test_more_than_the_service_takes_at_once_is_refused(
    threads: Threads, database: Database, limits: RequestLimits, name: str, media_type: str
) -> None:
    spans = story()
    body = printed(spans) if media_type == PROTOBUF else print_bytes(export_request(spans))
    app = app_over(database, threads, limits=limits)
    answer = TestClient(app).post(
        "/otlp/v1/traces", content=body, headers={"content-type": media_type}
    )
    end_following(app)
    assert answer.status_code == 413
    assert answer.json()["type"] == f"urn:agentlog:problem:{name}"


def test_a_small_body_of_very_many_messages_is_refused(client: TestClient) -> None:
    body = zipped(SPANS["messages in a text"](10_000))
    headers = {"content-type": PROTOBUF, "content-encoding": "gzip"}
    answer = client.post("/otlp/v1/traces", content=body, headers=headers)
    assert answer.status_code == 413, answer.text
    assert answer.json()["type"] == "urn:agentlog:problem:too-many-added"
    assert "let the exporter send fewer spans" in answer.json()["detail"]
    assert listed(client) == set()


def test_an_overloaded_service_asks_to_try_again(threads: Threads, database: Database) -> None:
    threads.writer = Writer(database, clock=Clock(), new_id=Ids(), capacity=0)
    app = app_over(database, threads)
    try:
        answer = send(TestClient(app), [chat(2, [USER], ANSWER)])
    finally:
        end_following(app)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"


def test_words_that_were_taken_but_not_read_are_a_warning(client: TestClient) -> None:
    call = chat(next(NUMBERS), [USER], ANSWER, acme__note="the user was cross")
    answer = send(client, [call]).json()
    assert answer == {
        "partialSuccess": {
            "rejectedSpans": "0",
            "errorMessage": "1 attributes with words are only in otel.span: acme.note",
        }
    }
    assert send(client, [call]).json() == {}


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_a_tools_run_is_in_the_thread_of_its_conversation_whenever_it_comes(
    client: TestClient, order: tuple[int, ...]
) -> None:
    number = next(NUMBERS)
    trace, name = f"{number:032x}", f"lone-{number}"
    named = {"gen_ai__conversation__id": name}
    spans = [  # siblings: the span around them never comes
        chat(1, [USER], CALL, trace=trace, parent=9, **named),
        tool(2, trace=trace, parent=9),
        chat(3, [USER, CALL, RESULT], ANSWER, trace=trace, parent=9, **named),
    ]
    for n in order:
        assert send(client, [spans[n]]).json() == {}
    items = client.get("/v1/threads?limit=1000").json()["items"]
    threads = {item["threadId"] for item in items}
    assert name in threads
    assert trace not in threads
    told = [kind for kind in types(client, name) if kind != "otel.message"]  # notes a turn
    assert Counter(told) == Counter(TOLD[1:])
    hidden = client.get(f"/v1/threads/{trace}?hidden=true")
    if order[0] == 1:
        assert hidden.json()["metadata"]["conversation"] == name
    else:
        assert not hidden.is_success
