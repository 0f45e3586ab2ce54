"""Threads as spans, and spans as threads again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentlog.api.http.request.limits import USUAL
from agentlog.domain.json.text import parse, print_bytes
from agentlog.extensions.traces.api.otlp.protobuf import records_of_protobuf
from agentlog.extensions.traces.api.otlp.work import Work
from agentlog.extensions.traces.infrastructure import threads as span_threads
from agentlog.extensions.traces.infrastructure.ingest import TraceIngest
from agentlog.extensions.traces.projections.export.otlp import export_request
from agentlog.extensions.traces.projections.export.otlp_protobuf import printed
from agentlog.extensions.traces.projections.export.spans import spans_of
from agentlog.extensions.traces.projections.readers.drafts import TooManyAdded
from agentlog.extensions.traces.projections.readers.otlp_json import records_of_json
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.registry import choose_view
from agentlog.projections.view import render
from tests.extensions.traces.spans import ANSWER, CALL, USER, chat, said
from tests.infrastructure.appends import last_position

EXAMPLES = Path(__file__).parents[4] / "examples"
OPENAI = choose_view("openai", {})


def _work() -> Work:
    return Work.allowed(2**24, USUAL, most_bytes=2**24)


def _by_json(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return records_of_json(parse(print_bytes(export_request(spans))), "traces", _work())


def _by_protobuf(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return records_of_protobuf(printed(spans), "traces", _work())


def _messages(threads: Threads, thread_id: str) -> list[Any]:
    """Return a thread's messages; arguments as values: how they were spelled is lost in spans."""
    messages = [placed.item for placed in render(OPENAI, threads.messages(thread_id)).items]
    for call in (call for message in messages for call in message.get("tool_calls", ())):
        call["function"]["arguments"] = parse(call["function"]["arguments"])
    return messages


@pytest.fixture
def copies(database: Database, threads: Threads) -> Threads:
    """The store of another tenant."""
    reader = LogReader(database, tenant="copies")
    return Threads(reader=reader, writer=threads.writer, blobs=threads.blobs, tenant="copies")


@pytest.mark.parametrize("encoded", [_by_json, _by_protobuf])
@pytest.mark.parametrize("name", ["deploy", "invoice", "refund", "research"])
def test_a_thread_comes_back_from_its_spans(
    threads: Threads,
    copies: Threads,
    name: str,
    encoded: Callable[[list[dict[str, Any]]], list[dict[str, Any]]],
) -> None:
    document = parse((EXAMPLES / f"{name}.json").read_bytes())
    threads.append(name, document["messages"])
    spans = encoded(spans_of(name, threads.messages(name)))
    assert TraceIngest(copies).take_spans(spans).count == 0
    assert _messages(copies, name) == _messages(threads, name)
    assert copies.head(name).anomalies == 0


def test_what_is_remembered_of_threads_is_bounded_by_its_size_and_no_span_comes_twice(
    threads: Threads, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(span_threads, "_MOST_ENTRIES", 40)
    ingest = TraceIngest(threads)
    batches = [
        [chat(n, [USER], ANSWER, trace=f"{n:032x}") for n in range(m, m + 8)]
        for m in range(1, 80, 8)
    ]
    for batch in batches:
        ingest.take_spans(batch)
        assert sum(state.size for state in ingest._into._recent.values()) <= 40
    position = last_position(database)
    ingest.take_spans(batches[0])
    assert last_position(database) == position


def test_a_new_service_takes_a_long_context_that_its_thread_has_already(
    threads: Threads, database: Database
) -> None:
    context = [said("user", str(n)) for n in range(30)]
    assert TraceIngest(threads).take_spans([chat(1, context, ANSWER)], most=60).count == 0
    position = last_position(database)
    longer = [*context, ANSWER, USER]
    assert TraceIngest(threads).take_spans([chat(2, longer, CALL)], most=10).count == 0
    assert last_position(database) == position + 5  # span, request, response, question and call


def test_more_than_an_export_may_add_is_refused_before_any_is_appended(
    threads: Threads, database: Database
) -> None:
    spans = [chat(n, [said("user", str(n))], ANSWER, trace=f"{n:032x}") for n in range(1, 9)]
    with pytest.raises(TooManyAdded, match="more than the 40 messages"):
        TraceIngest(threads).take_spans(spans, most=40)
    assert last_position(database) == 0
