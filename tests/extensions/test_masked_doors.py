"""One mask before every door: what a tenant's rule masks is nowhere in the database."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from fastapi.testclient import TestClient
from psycopg.sql import SQL, Identifier

from agentlog.infrastructure.postgres.database import Database
from tests.api.routes import NEEDS
from tests.planted import RULE, Planted

Item = dict[str, Any]
PLACE = "in-the-place-of-what-is-planted"
ID = "01KDVDNQ00ZZZZZZZZZZZZZZZZ"
SPAN, TRACE, RUN = (
    "00f067aa0ba902b7",
    "4bf92f3577b34da6a3ce929d0e0e4736",
    f"{7:08}-1111-4111-8111-{1:012}",
)


@pytest.fixture
def database(own_database: Database) -> Database:
    """Every table of it is read."""
    return own_database


@pytest.fixture
def planted() -> Planted:
    return Planted(Random(47))  # noqa: S311 - of a test


def messages(planted: Planted) -> list[Item]:
    text, arguments = planted.text, planted.arguments
    call = {"id": "c1", "name": "send", "args": arguments, "argumentsText": json.dumps(arguments)}
    failed = {"name": "Error", "message": text, "stack": text}
    return [
        {"type": "system", "text": text},
        {"type": "input", "text": text, "files": [{"data": "YQ==", "filename": text[:200]}]},
        {"type": "reasoning", "title": text, "summary": text},
        {"type": "tool_calls", "calls": [call], "metadata": {"note": arguments}},
        {"type": "approval_request", "callId": "c1", "tool": "send", "args": arguments},
        {"type": "approval_response", "callId": "c1", "approved": True, "reason": text},
        {"type": "tool_results", "results": [{"callId": "c1", "output": {"env": arguments}}]},
        {"type": "tool_calls", "calls": [{"id": "c2", "name": "send"}]},
        {"type": "tool_results", "results": [{"callId": "c2", "error": failed}]},
        {"type": "worker_spawned", "workerId": "w", "objective": text, "context": text},
        {"type": "worker_result", "workerId": "w", "error": {"message": text, "code": text}},
        {"type": "scratchpad", "text": text, "mode": "append"},
        {"type": "log", "text": text},
        {"type": "runtime_error", "error": text},
        {"type": "acme.thing", "payload": {"rows": [arguments, text]}},
        {"type": "reply", "text": text},
        exchange(planted),
        {"type": "exit", "reason": "complete", "message": text},
    ]


def exchange(planted: Planted) -> Item:
    """An exchange whose answer came in pieces of three characters."""
    asked = {"model": "m", "messages": [{"role": "user", "content": planted.text}]}
    pieces = [planted.text[at : at + 3] for at in range(0, len(planted.text), 3)]
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    stream = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    payload = {
        "run": "r",
        "attempt": 1,
        "api": "chat",
        "method": "POST",
        "path": "/v1/chat/completions",
        "request": {"headers": {}, "pieces": [json.dumps(asked)]},
        "status": 200,
        "response": {
            "headers": {"content-type": "text/event-stream"},
            "body": stream,
            "chunks": [[0, 1.0], [len(stream) // 2, 2.0]],
        },
        "end": "complete",
        "startedAt": 1,
        "durationMs": 2.0,
    }
    return {"type": "agentlog.exchange", "payload": payload}


def spans(planted: Planted) -> Item:
    said = [{"role": "user", "parts": [{"type": "text", "content": planted.text}]}]
    values = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(said),
        "gen_ai.system_instructions": planted.text,
        "acme.more": planted.text,
    }
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
    span = {"traceId": TRACE, "spanId": SPAN, "name": "chat m", "attributes": attributes}
    times = {"startTimeUnixNano": "1767268800000000000", "endTimeUnixNano": "1767268801000000000"}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [{**span, **times}]}]}]}


def log_records(planted: Planted) -> Item:
    name = {"key": "event.name", "value": {"stringValue": "gen_ai.user.message"}}
    body = {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": planted.text}}]}}
    record = {"traceId": TRACE, "spanId": SPAN, "attributes": [name], "body": body}
    record |= {"eventName": "gen_ai.user.message", "timeUnixNano": "1767268800000000000"}
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}


def langsmith(planted: Planted) -> Item:
    asked = [{"role": "user", "content": planted.text}]
    return {
        "id": RUN,
        "trace_id": RUN,
        "dotted_order": f"20260101T000000000000Z{RUN}",
        "name": "llm",
        "run_type": "llm",
        "start_time": "2026-01-01T00:00:00Z",
        "end_time": "2026-01-01T00:00:01Z",
        "inputs": {"messages": asked},
        "outputs": {"output": planted.text},
    }


def doors(planted: Planted, agent: str = "") -> list[tuple[str, str, Item]]:
    """Return requests for the doors that take contents, each with its route and its path."""
    text, arguments, story = planted.text, planted.arguments, messages(planted)
    said = {"role": "user", "content": text}
    call = {"type": "function_call", "call_id": "a", "name": "send"}
    items = [said, {**call, "arguments": json.dumps(arguments)}]
    items.append({"type": "function_call_output", "call_id": "a", "output": text})
    logged = {"threadId": "log", "messages": [story[1], story[3]]}
    edits = [{"insert": 2, "message": {"type": "reply", "text": text}}]
    forked = {"threadId": "f", "goal": text, "metadata": arguments, "edits": edits}
    score = {"id": "s1", "traceId": TRACE, "name": "good", "value": 1, "comment": text}
    event = {"id": "e1", "type": "score-create", "timestamp": "2026-01-01T00:00:00Z"}
    feedback = {"id": RUN, "run_id": RUN, "key": "good", "score": 1, "comment": text}
    v1, openai = "/v1/threads", "/openai/v1/conversations"
    return [
        (
            "/v1/threads",
            v1,
            {"json": {"threadId": "t", "policy": "record", "goal": text, "metadata": arguments}},
        ),
        ("/v1/threads/{thread_id}/messages", f"{v1}/t/messages", {"json": story}),
        ("/v1/threads/{thread_id}/messages", f"{v1}/t/messages", {"json": story[0] | {"id": ID}}),
        ("/v1/threads/{thread_id}/messages", f"{v1}/t/messages", {"json": story[0] | {"id": ID}}),
        (
            "/v1/threads/{thread_id}/messages",
            f"{v1}/items/messages?format=openai",
            {"json": {"messages": [said]}},
        ),
        (
            "/v1/threads/{thread_id}/annotate",
            f"{v1}/t/annotate",
            {"json": {"metadata": {"more": arguments}}},
        ),
        (
            "/v1/threads/{thread_id}/remarks",
            f"{v1}/t/remarks",
            {"json": {"type": "thread.noted", "text": text}},
        ),
        ("/v1/threads/{thread_id}/fork", f"{v1}/t/fork", {"json": forked}),
        ("/v1/log", "/v1/log", {"content": json.dumps(logged) + "\n"}),
        ("/otlp/v1/traces", "/otlp/v1/traces", {"json": spans(planted)}),
        ("/otlp/v1/logs", "/otlp/v1/logs", {"json": log_records(planted)}),
        (
            "/api/public/otel/v1/traces",
            "/api/public/otel/v1/traces",
            {"json": spans(planted)},
        ),
        ("/api/public/scores", "/api/public/scores", {"json": score}),
        (
            "/api/public/ingestion",
            "/api/public/ingestion",
            {"json": {"batch": [{**event, "body": {**score, "id": "s2"}}]}},
        ),
        ("/langsmith/runs", "/langsmith/runs", {"json": langsmith(planted)}),
        (
            "/langsmith/runs/batch",
            "/langsmith/runs/batch",
            {"json": {"post": [langsmith(planted)]}},
        ),
        (
            "/langsmith/feedback",
            "/langsmith/feedback",
            {"json": feedback},
        ),
        ("/openai/v1/conversations", openai, {"json": {"items": items}}),
        (
            "/openai/v1/conversations/{thread_id}/items",
            f"{openai}/t/items",
            {"json": {"items": items}},
        ),
        (
            "/openai/v1/conversations/{thread_id}",
            f"{openai}/t",
            {"json": {"metadata": {"note": text[:500]}}},
        ),
        ("/maria/v1/task", "/maria/v1/task", {"json": {"name": text, "message": said}}),
        (
            "/maria/v1/task/{thread_id}/message",
            "/maria/v1/task/t/message",
            {"json": {"message": said}},
        ),
        (
            "/letta/v1/agents/{thread_id}/messages",
            "/letta/v1/agents/t/messages",
            {"json": {"messages": [said]}},
        ),
        (
            "/letta/v1/agents/import",
            "/letta/v1/agents/import",
            {"files": {"file": ("a.af", agent.replace(PLACE, json.dumps(text)[1:-1]))}},
        ),
        ("/v1/threads/{thread_id}/close", f"{v1}/log/close", {"json": {"reason": text}}),
    ]


AS_THE_OTHERS = {
    "/maria/task": "as /maria/v1/task",
    "/maria/task/{thread_id}/message": "as that of /maria/v1",
    "/langsmith/runs/multipart": "as /langsmith/runs",
    "/openai/v1/chat/completions/{answer_id}": "as conversations",
    "/openai/v1/chat/completions": "relayed to a gateway",
    "/openai/v1/responses": "relayed to a gateway",
    "/openai/v1/responses/compact": "relayed to a gateway",
    "/openai/v1/responses/input_tokens": "relayed to a gateway",
    "/v1/imports": "an order",
    "/v1/imports/{import_id}/run": "see test_uploads",
    "/v1/imports/{import_id}/undo": "no contents",
    "/v1/imports/{import_id}/redo": "no contents",
}


def test_every_door_that_takes_contents_is_tried(planted: Planted) -> None:
    posts = {
        name.split()[1] for name, scope in NEEDS.items() if scope == "append" and "POST" in name
    }
    assert posts == {route for route, _, _ in doors(planted)} | AS_THE_OTHERS.keys()


@pytest.mark.parametrize("mode", ["", '\nmode = "structure"'], ids=["matches", "structure"])
def test_nothing_planted_is_in_the_database(
    client: TestClient, database: Database, planted: Planted, mode: str
) -> None:
    rule = client.put("/v1/rules/mask", json={"value": RULE + mode})
    assert rule.status_code == 200, rule.text
    client.post("/v1/threads/agent/messages", json={"type": "input", "text": PLACE})
    agent = client.get("/letta/v1/agents/agent/export").text
    for route, path, more in doors(planted, agent):
        answer = client.post(path, **more)
        assert answer.status_code < 300, (route, answer.text)
        assert route != "/v1/log" or "problem" not in answer.text
    leaks = {
        (table, name) for table, content in dumped(database) for name in planted.leaks(content)
    }
    assert leaks == set()


def dumped(database: Database) -> Iterator[tuple[str, bytes]]:
    """Yield the rows of each table as bytes."""
    with database.connection() as connection:
        tables = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_schema LIKE 'agentlog%' AND table_type = 'BASE TABLE'"
        ).fetchall()
        assert ("agentlog", "events") in tables
        for schema, table in tables:
            copy = SQL("COPY {} TO STDOUT (FORMAT binary)").format(Identifier(schema, table))
            with connection.cursor().copy(copy) as rows:
                yield table, b"".join(map(bytes, rows))


def test_what_came_before_the_rule_is_recognised_when_it_comes_again(
    client: TestClient, planted: Planted
) -> None:
    story = [*messages(planted)[:9], {"type": "reply", "text": "plain"}]
    sent = [{**message, "id": f"01KDVDNQ{number:018}"} for number, message in enumerate(story)]
    first = client.post("/v1/threads/t/messages", json=sent).json()
    assert client.put("/v1/rules/mask", json={"value": RULE}).status_code == 200
    for _ in range(2):
        again = client.post("/v1/threads/t/messages", json=sent).json()
        assert again["version"] == first["version"]
    assert client.delete("/v1/rules/mask").status_code == 200
    plain = client.post("/v1/threads/t/messages", json={"type": "reply", "text": "ann@example.com"})
    assert plain.status_code == 201
    shown = client.get("/v1/threads/t/messages").json()
    assert "ann@example.com" in str(shown)
