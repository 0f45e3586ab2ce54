"""Every parser of what clients send, by name: its limit, and how it reads so many repetitions.

A shape is text that is repeated between a beginning and an end: wide, deep or empty.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentlog.api.filters import metadata_filter, time_filter
from agentlog.api.http.codec.dependencies import drafts_in, expected_version_of, number_cursor
from agentlog.api.http.codec.otlp import JSON, PROTOBUF, Signal, records_in
from agentlog.api.http.codec.otlp_work import Work
from agentlog.api.http.request.limits import USUAL
from agentlog.domain.points_in_time import parse_moment
from agentlog.domain.traces import read_traceparent
from agentlog.infrastructure.analysts.parameters import query_of
from agentlog.infrastructure.search.json_path import Predicate
from agentlog.infrastructure.search.query import Query

MOST_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A parser: what limits it, how it reads a text, and the pieces that its shapes are made of.

    `frame` is what a text that is read to its end may begin and end with.
    """

    limit: str
    read: Callable[[str], object]
    pieces: tuple[str, ...]
    frame: tuple[str, str] = ("", "")


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


_JSON = ("[", "]", "{", "}", ",", '"a":', '""', "0", " ", "1e9", '{"a":0},', "[0],", '"\\ud800"')
_OTLP_JSON = ("{},", '{"scopeSpans":[{}]},', '{"resource":{"attributes":[]}},', *_JSON)
_PROTOBUF = ("\n\0", "\x12\0", "\n\x02\x12\0", "J\x04\n\0\x12\0", "Z\0", "\x80", "x\0", "\x0b")
_PATH = ("$", "..", "[?@", "]", "*", "[0,0]", ".a", "==1", "(", ")", "'")
_WORDS = ("a", " ", '"', "é", "'", "\0", "-", "0")
_SQL = (":a", "'", '"', "$$", "/*", "*/", "--", "::", "e'", "\\", "$1", " ")
_NUMBERS = ("0", "9", "@", "-", ":", "T", "Z", "2026-01-01T00:00:00Z", "W/", '"', "٣")

ENTRY_POINTS: Mapping[str, EntryPoint] = {
    "JSON bodies, lines of `/v1/log`": EntryPoint(
        "16 MiB, 500,000 parts, 128 levels, 10,000 messages",
        lambda text: drafts_in(text.encode(), USUAL),
        _JSON,
        ('{"messages":[', "0]}"),
    ),
    "OTLP in protobuf, traces": EntryPoint(
        "values by bytes sent", _otlp(PROTOBUF, "traces"), _PROTOBUF
    ),
    "OTLP in protobuf, logs": EntryPoint(
        "values by bytes sent", _otlp(PROTOBUF, "logs"), _PROTOBUF
    ),
    "OTLP in JSON": EntryPoint(
        "as JSON, and values by bytes sent",
        _otlp(JSON, "traces"),
        _OTLP_JSON,
        ('{"resourceSpans":[', "{}]}"),
    ),
    "search text": EntryPoint("1,000 characters", lambda text: Query(text=text).parts, _WORDS),
    "JSONPath": EntryPoint("1,000 characters, 2 s a message", _steps, _PATH),
    "`metadata.KEY`": EntryPoint(
        "64 KiB of headers", lambda text: metadata_filter([("a", text)]), _JSON
    ),
    "`at`": EntryPoint("64 KiB of headers", parse_moment, _NUMBERS),
    "`from`, `to`": EntryPoint(
        "64 KiB of headers", lambda text: time_filter("from", text), _NUMBERS
    ),
    "cursors": EntryPoint("64 KiB of headers", number_cursor, _NUMBERS),
    "`If-Match`": EntryPoint("64 KiB of headers", expected_version_of, _NUMBERS),
    "`traceparent`": EntryPoint("64 KiB of headers", read_traceparent, _NUMBERS),
    "parameters of SQL": EntryPoint(
        "100,000 characters, 1,000 values", lambda text: query_of(text, {"a": 1}), _SQL
    ),
}
