"""Requests in bytes: malformed ones are refused however they are cut, others mean what they say."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import httptools
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.api.http.request.errors import RefusedRequest
from agentlog.api.http.server.request_framing import End, RequestFraming
from agentlog.api.http.server.request_heads import RequestHead
from tests.api.malformed import BODY, MALFORMED, MAX_HEADER_BYTES, SMUGGLED, WELL_FORMED, of_size

CASES = {name: case[0] for name, case in (MALFORMED | WELL_FORMED).items()}
PLAIN = WELL_FORMED["plain"][0]


class _Reader:
    """What the server's parser makes of what is passed on."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.ended = 0

    def on_message_begin(self) -> None:
        self.requests.append({"target": b"", "headers": [], "body": b""})

    def on_url(self, url: bytes) -> None:
        self.requests[-1]["target"] += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.requests[-1]["headers"].append((name, value))

    def on_body(self, body: bytes) -> None:
        self.requests[-1]["body"] += body

    def on_message_complete(self) -> None:
        self.ended += 1


def read(pieces: Sequence[bytes]) -> tuple[list[dict[str, Any]], str | None]:
    """Return the requests in bytes that come in pieces, and why the last one is refused."""
    framing = RequestFraming(max_header_bytes=MAX_HEADER_BYTES)
    reader = _Reader()
    parser = httptools.HttpRequestParser(reader)
    ended = 0
    for piece in pieces:
        framing.receive(piece)
        try:
            while (event := framing.next_event()) is not None:
                if event is End.END:
                    ended += 1
                    assert reader.ended == ended == len(reader.requests)
                else:
                    parser.feed_data(event.data if isinstance(event, RequestHead) else event)
        except RefusedRequest as refusal:
            assert framing.has_ended
            return reader.requests, str(refusal)
        assert framing.held <= MAX_HEADER_BYTES
    return reader.requests, None


def cut(raw: bytes, places: Sequence[int]) -> list[bytes]:
    """Return bytes in pieces, cut at places."""
    bounds = [0, *sorted(min(place, len(raw)) for place in places), len(raw)]
    return [raw[begin:end] for begin, end in pairwise(bounds)]


@pytest.mark.parametrize("raw", CASES.values(), ids=CASES)
def test_bytes_mean_the_same_one_by_one(raw: bytes) -> None:
    raw = PLAIN + raw + PLAIN
    assert read([raw]) == read(cut(raw, range(len(raw))))


@given(st.sampled_from(sorted(CASES)), st.lists(st.integers(0, 6000), max_size=6))
def test_bytes_mean_the_same_wherever_they_are_cut(name: str, places: list[int]) -> None:
    raw = PLAIN + CASES[name] + PLAIN
    assert read([raw]) == read(cut(raw, places))


@pytest.mark.parametrize("name", MALFORMED)
def test_nothing_after_a_malformed_request_is_read(name: str) -> None:
    requests, refusal = read([PLAIN + MALFORMED[name][0] + PLAIN])
    assert refusal
    assert [request["target"] for request in requests if request["target"] == b"/healthz"] == [
        b"/healthz"
    ]


@pytest.mark.parametrize("name", WELL_FORMED)
def test_a_well_formed_request_ends_where_the_next_begins(name: str) -> None:
    raw, _, is_last = WELL_FORMED[name]
    requests, refusal = read([PLAIN + raw + PLAIN])
    assert refusal is None
    assert len(requests) == 2 + (not is_last)
    assert requests[1]["body"] in {b"", BODY, SMUGGLED}


_FRAGMENTS = st.sampled_from(
    [
        b"GET ",
        b"POST ",
        b"/a",
        b" HTTP/1.1\r\n",
        b"Host: a\r\n",
        b"Content-Length: 3\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Upgrade: h2c\r\nConnection: Upgrade\r\n",
        b"Expect: 100-continue\r\n",
        b"\r\n",
        b"3\r\nabc\r\n",
        b"0\r\n\r\n",
        b"abc",
        b": ",
        b"\n",
        b"\x00",
    ]
)


@given(st.lists(_FRAGMENTS | st.binary(max_size=3), max_size=30))
def test_whatever_passes_the_servers_parser_takes(pieces: list[bytes]) -> None:
    read(pieces)  # the parser would raise


@given(
    st.sampled_from([b"GET", b"POST", b"OPTIONS", b"HEAD", b"DELETE"]),
    st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E)).map(lambda text: text.encode()),
    st.lists(
        st.tuples(
            st.from_regex(rb"[A-Za-z!#$%&'*+.^_`|~0-9-]{1,8}", fullmatch=True),
            st.binary(max_size=8),
        ),
        max_size=4,
    ),
)
def test_whatever_a_head_says_the_servers_parser_takes(
    method: bytes, path: bytes, headers: list[tuple[bytes, bytes]]
) -> None:
    lines = [b"%b: %b\r\n" % header for header in headers]
    raw = b"%b /%b HTTP/1.1\r\nHost: a\r\n%b\r\n" % (method, path, b"".join(lines))
    requests, refusal = read([raw])
    if refusal is None:
        assert requests[0]["target"] == b"/" + path


def test_headers_have_exactly_the_bytes_that_they_may_have() -> None:
    assert read([of_size(MAX_HEADER_BYTES)])[1] is None
    assert "longer than 4096 bytes" in (read([of_size(MAX_HEADER_BYTES + 1)])[1] or "")
    lines = len(b"X-Y: \r\n")
    trailers = b"0\r\nX-Y: %b\r\n\r\n"
    head = WELL_FORMED["chunks"][0].partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    room = MAX_HEADER_BYTES - len(head) - lines - len(b"\r\n")
    assert read([head + trailers % (b"a" * room)])[1] is None
    assert read([head + trailers % (b"a" * (room + 1))])[1] is not None


def test_what_concerns_the_connection_is_not_passed_on() -> None:
    (request,), _ = read([WELL_FORMED["an upgrade to HTTP/2"][0]])
    assert request["headers"] == [(b"host", b"here"), (b"content-length", b"15")]
    (request,), _ = read([WELL_FORMED["trailers"][0]])
    assert request["headers"] == [(b"host", b"here"), (b"transfer-encoding", b"chunked")]


def test_the_host_of_a_target_counts_in_place_of_the_header() -> None:
    (request,), _ = read([WELL_FORMED["a target in absolute form"][0]])
    assert request["target"] == b"/healthz"
    assert request["headers"] == [(b"host", b"there:80")]


@pytest.mark.parametrize(
    ("expected", "passed"),
    [(b"100-continue", True), (b"100-Continue", True), (b"a miracle", False)],
)
def test_an_expectation_that_can_be_met_is_passed_on(expected: bytes, *, passed: bool) -> None:
    raw = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: " + expected + b"\r\n\r\n"
    (request,), _ = read([raw])
    assert ((b"expect", b"100-continue") in request["headers"]) is passed
    (request,), _ = read([raw.replace(b"1.1", b"1.0")])
    assert b"expect" not in dict(request["headers"])
