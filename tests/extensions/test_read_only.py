"""Routes of extensions in a service whose database takes no writes."""

import pytest
from fastapi.testclient import TestClient

from tests.api.http.test_read_only import (
    check_refusal,
    check_wait,
    reader,
    reader_app,
    url_with_tables,
    writer,
)

__all__ = ["reader", "reader_app", "url_with_tables", "writer"]

SPAN = {
    "traceId": "5b8efff798038103d269b633813fc60c",
    "spanId": "eee19b7ec3c1b174",
    "name": "chat",
    "startTimeUnixNano": "1",
    "endTimeUnixNano": "2",
    "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {"key": "gen_ai.conversation.id", "value": {"stringValue": "spans"}},
        {"key": "gen_ai.completion", "value": {"stringValue": "hello"}},
    ],
}


def test_spans_are_refused_with_the_address_of_the_writer(
    reader: TestClient, writer: TestClient
) -> None:
    del writer
    body = {"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]}
    check_refusal(reader.post("/otlp/v1/traces", json=body))


def test_a_facade_waits_until_the_log_is_there(
    reader: TestClient, writer: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_wait(reader, writer, "/openai/v1/conversations/t", monkeypatch)
