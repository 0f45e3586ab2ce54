"""Every parser of what clients send, by name: its limit, and how it reads so many repetitions.

A shape is text that is repeated between a beginning and an end: wide, deep or empty.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress

from agentlog.api.filters import time_filter
from agentlog.api.http.codec.bodies import drafts_in
from agentlog.api.http.codec.parameters import expected_version_of, number_cursor
from agentlog.api.http.middleware.edge import UnknownParameter
from agentlog.api.http.request.limits import USUAL
from agentlog.api.questions import question_of
from agentlog.domain.json.values import JsonObject
from agentlog.domain.points_in_time import parse_moment
from agentlog.domain.traces import read_traceparent
from agentlog.extensions.traces.api.otlp.records import JSON, PROTOBUF, Signal, records_in
from agentlog.extensions.traces.api.otlp.work import Work
from agentlog.infrastructure.analysts.parameters import query_of
from agentlog.infrastructure.comparison.comparer import parse_side
from agentlog.infrastructure.reports.catalogue import REPORTS
from agentlog.infrastructure.search.json_path import Predicate
from agentlog.infrastructure.search.query import Query
from agentlog.infrastructure.transfer.uploads import run
from agentlog.infrastructure.transfer.uploads.order import order_in
from agentlog.infrastructure.transfer.uploads.spool import digests_in
from agentlog.projections.filters.expression import Term
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.followed_view import parse_place
from agentlog.projections.readers.appended import read_appended
from agentlog.projections.registry import choose_view
from tests.bounds.contents import CONTENTS
from tests.bounds.entry_point import HEADERS, JSON_PIECES, EntryPoint

MOST_BYTES = 16 * 2**20


def _otlp(media_type: str, signal: Signal) -> Callable[[str], object]:
    def read(text: str) -> object:
        body = text.encode("latin-1", "replace")
        work = Work.allowed(len(body), USUAL, most_bytes=MOST_BYTES)
        return records_in(body, media_type, signal, USUAL, work)

    return read


def _steps(text: str) -> object:
    left = 10_000

    def tick() -> None:
        nonlocal left
        left -= 1
        if not left:
            raise TimeoutError

    content = {"a": [[{"b": 1}]] * 4}
    try:
        return list(Predicate(text).matches(content, tick))
    except TimeoutError:
        return None


def _place(text: str) -> object:
    with suppress(ValueError):
        return parse_place(text)
    return None


def _report(text: str) -> object:
    asked = text[1:]
    pairs = [[("by", asked)], [("order", asked)], [("clock", asked)], [("limit", asked)]]
    pairs.append([("zone", asked)])
    return question_of(REPORTS["tools"], pairs[len(text) % len(pairs)])


def _order(text: str) -> object:
    order = order_in({"paths": ["a/"], "threadId": text, "records": text, "goal": text})
    return order.place_of(f"a/{text}")


def _unknown(text: str) -> object:
    return UnknownParameter(text, takes=["after", "limit", "metadata.KEY", "error_class"])


_OTLP_JSON = ("{},", '{"scopeSpans":[{}]},', '{"resource":{"attributes":[]}},', *JSON_PIECES)
_PROTOBUF = ("\n\0", "\x12\0", "\n\x02\x12\0", "J\x04\n\0\x12\0", "Z\0", "\x80", "x\0", "\x0b")
_PATH = ("$", "..", "[?@", "]", "*", "[0,0]", ".a", "==1", "(", ")", "'")
_WORDS = ("a", " ", '"', "é", "'", "\0", "-", "0")
_SQL = (":a", "'", '"', "$$", "/*", "*/", "--", "::", "e'", "\\", "$1", " ")
_NUMBERS = ("0", "9", "@", "-", ":", "T", "Z", "2026-01-01T00:00:00Z", "W/", '"', "٣")
_PLACES = ("1.0", "~", ",", ":", "0.1:a", ".", "9", "٣")
_ITEM: JsonObject = {"role": "user", "content": "a"}
_NAMES = ("kernel", "tool", "error_rate", "metadata.a", "-", ",", "a", "e")

_JSON_BODIES = (
    "POST /v1/threads",
    "POST /v1/threads/{thread_id}/close",
    "POST /v1/threads/{thread_id}/annotate",
    "POST /v1/threads/{thread_id}/remarks",
    "POST /v1/threads/{thread_id}/fork",
    "POST /v1/threads/{thread_id}/messages",
    "POST /v1/log",
    "POST /v1/threads/{thread_id}/messages/{message_id}/redact",
    "POST /v1/threads/{thread_id}/redact",
    "POST /v1/blobs/{digest}/redact",
    "POST /v1/analytics/sql",
    "POST /v1/keys",
    "POST /v1/subscriptions",
    "PUT /v1/filters/{name}",
    "PUT /v1/rules/{name}",
    "POST /v1/imports",
    "POST /v1/imports/{import_id}/run",
    "POST /letta/v1/agents/import",
    "POST /letta/v1/agents/{thread_id}/messages",
    *(
        f"POST /maria/{path}"
        for version in ("v1/", "")
        for path in (f"{version}task", f"{version}task/{{thread_id}}/message")
    ),
    "POST /openai/v1/conversations",
    "POST /openai/v1/conversations/{thread_id}",
    "POST /openai/v1/conversations/{thread_id}/items",
    "POST /openai/v1/chat/completions",
    "POST /openai/v1/chat/completions/{answer_id}",
    "POST /openai/v1/responses",
    "POST /openai/v1/responses/input_tokens",
    "POST /openai/v1/responses/compact",
    "POST /agui/{thread_id}",
    "POST /api/public/scores",
    "POST /api/public/ingestion",
    "POST /langsmith/runs",
    "POST /langsmith/runs/batch",
    "PATCH /langsmith/runs/{run_id}",
    "POST /langsmith/feedback",
    *(
        f"POST /v1/subscriptions/{{name}}/{verb}"
        for verb in ("pull", "ack", "nack", "parked/retry", "parked/discard")
    ),
)
ENTRY_POINTS: Mapping[str, EntryPoint] = {
    "JSON bodies, lines of `/v1/log`": EntryPoint(
        "16 MiB, 500,000 parts, 128 levels, 10,000 messages",
        lambda text: drafts_in(text.encode(), USUAL),
        JSON_PIECES,
        ('{"messages":[', "0]}"),
        inputs=_JSON_BODIES,
    ),
    "OTLP in protobuf, traces": EntryPoint(
        "values by bytes sent",
        _otlp(PROTOBUF, "traces"),
        _PROTOBUF,
        inputs=("POST /otlp/v1/traces", "POST /api/public/otel/v1/traces"),
    ),
    "OTLP in protobuf, logs": EntryPoint(
        "values by bytes sent", _otlp(PROTOBUF, "logs"), _PROTOBUF, inputs=("POST /otlp/v1/logs",)
    ),
    "OTLP in JSON": EntryPoint(
        "as JSON, and values by bytes sent",
        _otlp(JSON, "traces"),
        _OTLP_JSON,
        ('{"resourceSpans":[', "{}]}"),
        inputs=("POST /otlp/v1/traces", "POST /otlp/v1/logs"),
    ),
    "search text": EntryPoint(
        "1,000 characters", lambda text: Query(text=text).parts, _WORDS, inputs=("q",)
    ),
    "JSONPath": EntryPoint("1,000 characters, 2 s a message", _steps, _PATH, inputs=("path",)),
    "`at`": EntryPoint(HEADERS, parse_moment, _NUMBERS, inputs=("at",)),
    "`from`, `to`": EntryPoint(
        HEADERS, lambda text: time_filter("from", text), _NUMBERS, inputs=("from", "to")
    ),
    "sides of a comparison": EntryPoint(
        HEADERS, parse_side, (*_NUMBERS, "a", "."), ("a@", "Z"), inputs=("a", "b")
    ),
    "cursors": EntryPoint(HEADERS, number_cursor, _NUMBERS, inputs=("after",)),
    "places in a stream": EntryPoint(
        HEADERS, _place, _PLACES, ("1.0~", "0.1:a"), inputs=("after", "Last-Event-ID")
    ),
    "names of views": EntryPoint(HEADERS, choose_view, _NAMES, inputs=("view",)),
    "what reports take": EntryPoint(
        HEADERS,
        _report,
        _NAMES,
        inputs=(
            "name",
            "by",
            "order",
            "zone",
        ),
    ),
    "filters of terms": EntryPoint(
        "2,000 characters",
        lambda text: parse_filter(text, "list"),
        ("(", ")", "-", "or ", "tool:", '"', "cost>", "$.", "[", "1", "a "),
        ("(", ")"),
        inputs=("filter", "failed", "where"),
    ),
    "words of lists": EntryPoint(
        HEADERS,
        lambda text: Query(where=Term("tool", ":", text)).tsquery("t"),
        _WORDS,
        inputs=("thread", "sort", "key", "message_id"),
    ),
    "names of parameters": EntryPoint(HEADERS, _unknown, _NAMES),
    "`If-Match`": EntryPoint(HEADERS, expected_version_of, _NUMBERS, inputs=("If-Match",)),
    "`Idempotency-Key`": EntryPoint(
        HEADERS,
        lambda text: read_appended("openai", [_ITEM], key=text, new_id=lambda: ""),
        _NAMES,
        inputs=("Idempotency-Key",),
    ),
    "`Content-Digest`": EntryPoint(
        HEADERS, digests_in, ("sha-256=:", "YQ==", ":", ",", "="), inputs=("content-digest",)
    ),
    "orders of imports": EntryPoint(
        "3,000 characters", _order, ("{a", "}", "$", "..", "[?", "/", "a", "\0"), ("a/", "/b")
    ),
    "files of imports": EntryPoint(
        "256 MiB, 16,000,000 values",
        lambda text: run._parts(text.encode()),
        ("\\", '"', "\n", "[", ",", "a"),
        inputs=("PUT /v1/imports/{import_id}/files", "PATCH /v1/imports/{import_id}/files"),
    ),
    "`traceparent`": EntryPoint(HEADERS, read_traceparent, _NUMBERS, inputs=("traceparent",)),
    "parameters of SQL": EntryPoint(
        "100,000 characters, 1,000 values",
        lambda text: query_of(text, {"a": 1}),
        _SQL,
        inputs=("POST /v1/analytics/sql",),
    ),
    **CONTENTS,
}
