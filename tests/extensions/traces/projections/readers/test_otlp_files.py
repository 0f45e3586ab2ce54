"""Files of OTLP's JSON: read as the endpoint reads what is sent to it."""

import json
from typing import Any

import pytest

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.extensions.traces.projections.export.otlp import export_request
from agentlog.extensions.traces.projections.readers.otlp_json import records_of_file
from agentlog.extensions.traces.projections.readers.placement import placed
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.thread import SpanThread
from agentlog.projections.readers.history import History
from agentlog.projections.readers.registry import FORMATS
from tests.extensions.traces.spans import ANSWER, CALL, RESULT, TRACE, USER, Item, chat, span, tool
from tests.projections.readers.of_format import noted, types

SPANS = [chat(1, [USER], CALL), tool(2), chat(3, [USER, CALL, RESULT], ANSWER)]
OTHER = span(9, "POST /v1/chat/completions", parent=1, http__status=200)


def histories(*documents: Item) -> list[History]:
    return list(FORMATS["otlp"].read(list(documents)))


def test_a_file_has_the_messages_that_the_endpoint_makes_of_its_request() -> None:
    request = export_request(SPANS)
    rows = placed(records_of_file(request)[0], lambda _: False)
    live = recorded(SpanThread(), [row.span for row in rows])
    (history,) = histories(request)
    assert history.drafts == live
    assert history.id == TRACE


def test_the_lines_of_the_collector_are_one_file() -> None:
    lines = [export_request([item]) for item in reversed(SPANS)]
    (history,) = histories(*lines)
    assert [draft["type"] for draft in history.drafts] == [
        *["otel.span", "input", "llm_request", "llm_response", "tool_calls"],
        *["otel.span", "tool_results"],
        *["otel.span", "llm_request", "llm_response", "reply"],
    ]
    assert FORMATS["otlp"].is_item(lines[0])
    assert not FORMATS["otlp"].is_item({"resourceSpans": []})


def test_a_span_that_is_not_of_generative_ai_is_kept_and_noted() -> None:
    (history,) = histories(export_request([*SPANS, OTHER]))
    assert types(history)["otel.span"] == len(SPANS) + 1
    assert noted(history) == [OTHER["spanId"]]
    assert not history.is_blank
    (alone,) = histories(export_request([OTHER]))
    assert alone.is_blank


def test_conversations_are_threads_and_traces_without_one_too() -> None:
    named = chat(4, [USER], ANSWER, trace="a" * 32, gen_ai__conversation__id="desk-7")
    assert {history.id for history in histories(export_request([*SPANS, named]))} == {
        TRACE,
        "desk-7",
    }


def test_log_records_without_a_trace_are_of_their_own_conversations() -> None:
    records = [
        {
            "eventName": name,
            "attributes": [
                {"key": "session.id", "value": {"stringValue": session}},
                {"key": "content", "value": {"stringValue": f"hello {session}"}},
            ],
            "body": {"stringValue": f"hello {session}"},
        }
        for session in ("desk-1", "desk-2")
        for name in ("gen_ai.user.message", "gemini_cli.config")
    ]
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    for history, session in zip(histories(logs), ("desk-1", "desk-2"), strict=True):
        assert history.id == session
        assert [draft.get("text") for draft in history.drafts if draft["type"] == "input"] == [
            f"hello {session}"
        ]
        assert [part.what for part in history.unmapped] == [
            "log record that is not of generative AI"
        ]


def test_two_answers_of_one_call_are_two_and_a_prompt_amid_stays_one() -> None:
    """Gemini CLI alone tells one answer in several messages, and its model as the system."""
    said = [{"role": "assistant", "parts": [{"type": "text", "content": text}]} for text in "AB"]
    amid = {"role": "system", "parts": [{"type": "text", "content": "be kind"}]}
    values = {
        "session.id": "desk-1",
        "gen_ai.system_instructions": [{"type": "text", "content": "be brief"}],
        "gen_ai.input.messages": [USER, amid],
        "gen_ai.output.messages": said,
    }
    attributes = [
        {"key": key, "value": {"stringValue": value if key == "session.id" else json.dumps(value)}}
        for key, value in values.items()
    ]
    record = {"eventName": "gen_ai.client.inference.operation.details", "attributes": attributes}
    (history,) = histories({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})
    texts = [(draft["type"], draft["text"]) for draft in history.drafts if "text" in draft]
    assert texts == [
        ("system", "be brief"),
        ("input", "Where is 4711?"),
        ("system", "be kind"),
        ("reply", "A"),
        ("reply", "B"),
    ]


def test_what_no_field_of_a_record_has_stays_under_its_place() -> None:
    request: Any = export_request(SPANS[:1])
    group = request["resourceSpans"][0]
    group["schemaUrl"] = "https://opentelemetry.io/schemas/1.37.0"
    group["scopeSpans"][0]["spans"][0]["links"] = [{"traceId": TRACE, "spanId": "b" * 16}]
    (history,) = histories(request)
    assert history.drafts[0]["payload"]["unread"] == {
        "resourceSpans[0]": {"schemaUrl": "https://opentelemetry.io/schemas/1.37.0"},
        "resourceSpans[0].scopeSpans[0].spans[0]": {
            "links": [{"traceId": TRACE, "spanId": "b" * 16}]
        },
    }


def test_what_is_no_request_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidMessage, match=r"\[1\]: no export request"):
        histories(export_request(SPANS), {"spans": SPANS})


def test_what_is_no_otlp_is_refused_with_its_place() -> None:
    request: Any = export_request(SPANS[:1])
    request["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"] = "no hex"
    with pytest.raises(InvalidMessage, match=r"spans\[0\].traceId: not 32 hexadecimal digits"):
        histories(request)


@pytest.mark.parametrize("group", ["resourceSpans", "resourceLogs"])
def test_words_of_a_group_without_records_are_kept_or_refused(group: str) -> None:
    alone = {"key": "words"}
    with pytest.raises(InvalidMessage, match=rf"{group}\[0\]"):
        histories({group: [alone]})
    request = export_request(SPANS)
    groups: Any = request.get(group, [])
    (history,) = histories({**request, group: [*groups, alone]})
    assert b"words" in print_bytes(history.drafts)


@pytest.mark.parametrize("is_answer", [False, True])
def test_fields_of_messages_that_no_reader_knows_are_noted_at_their_span(is_answer: bool) -> None:  # noqa: FBT001 - a case
    odd = {**(ANSWER if is_answer else USER), "mood": "calm"}
    item = chat(1, [USER], odd) if is_answer else chat(1, [odd], ANSWER)
    (history,) = histories(export_request([item]))
    assert noted(history) == [f"{item['spanId']}.mood"]
    (plain,) = histories(export_request([chat(1, [USER], ANSWER)]))
    assert noted(plain) == []
