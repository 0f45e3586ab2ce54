"""Validates and normalises a request's first line and headers.

RFC 9112, and stricter: a line ends with CRLF, and a header has one value where two could conflict.
Headers of the connection only are dropped, including `Upgrade`, so that the body always belongs to
its request.
"""

import re
import string
from dataclasses import dataclass
from typing import NamedTuple

from agentlog.api.http.request.errors import (
    InvalidBodyFraming,
    InvalidHost,
    MethodNotImplemented,
    NotHttp,
    TransferCodingNotImplemented,
    UnknownHttpVersion,
)

_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST_LINE = re.compile(rb"(%b) ([!-~]+) HTTP/([0-9])\.([0-9])" % _TOKEN)
_NAME = b"!#$%&'*+.^_`|~-" + string.digits.encode() + string.ascii_letters.encode()
_VALUE = bytes([0x09, *range(0x20, 0x7F), *range(0x80, 0x100)])
_ABSOLUTE = re.compile(rb"https?://([^/?]*)/?([!-~]*)", re.IGNORECASE)
_HOST = re.compile(rb"(?:[0-9A-Za-z_][0-9A-Za-z_.-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_LENGTH = re.compile(rb"[0-9]{1,18}")
_METHODS = frozenset({b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS"})

_REWRITTEN = frozenset({b"connection", b"content-length", b"expect", b"host", b"transfer-encoding"})
_DROPPED = frozenset(
    {b"http2-settings", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"upgrade"}
)

Header = tuple[bytes, bytes]
"""A name in lower case, and a value without blanks around it."""


class RequestLine(NamedTuple):
    """The first line; `host` is that of a target in absolute form."""

    method: bytes
    target: bytes
    host: bytes | None
    is_1_0: bool


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The normalised head, and the framing of the body.

    `length`: bytes of the body, None for chunks. `is_last`: the connection ends after the answer.
    """

    data: bytes
    length: int | None
    is_last: bool


def parse_request_line(line: bytes) -> RequestLine:
    """Return the parsed first line; raises `RefusedRequest`."""
    match = _REQUEST_LINE.fullmatch(line)
    if match is None:
        raise NotHttp("the first line is not `METHOD /path HTTP/1.1`")
    method, target, major, minor = match.groups()
    if major != b"1":
        raise UnknownHttpVersion
    if method not in _METHODS:
        raise MethodNotImplemented
    host = None
    absolute = _ABSOLUTE.fullmatch(target)
    if absolute is not None:  # RFC 9112, 3.2.2: its host overrides the Host header
        host, target = absolute[1], b"/" + absolute[2]
    if b"#" in target or not (target[:1] == b"/" or (method, target) == (b"OPTIONS", b"*")):
        raise NotHttp("the first line has no path")
    return RequestLine(method, target, host, minor == b"0")


def parse_header(line: bytes) -> Header:
    """Return the parsed header; raises `NotHttp`."""
    name, colon, value = line.partition(b":")
    if not (name and colon) or name.translate(None, _NAME) or value.translate(None, _VALUE):
        raise NotHttp(
            "a header is not `Name: value` on one line, without a blank before the colon or a "
            "control character"
        )
    return name.lower(), value.strip(b" \t")


def request_head(line: RequestLine, headers: list[Header]) -> RequestHead:
    """Return the head to forward.

    Raises:
        RefusedRequest: its headers contradict each other.
    """
    special: dict[bytes, list[bytes]] = {}
    lines = [b"%b %b HTTP/1.%d" % (line.method, line.target, not line.is_1_0)]
    for name, value in headers:
        if name in _REWRITTEN:
            special.setdefault(name, []).append(value)
        elif name not in _DROPPED:
            lines.append(b"%b: %b" % (name, value))
    host = _host(line, special.get(b"host", []))
    if host is not None:
        lines.append(b"host: " + host)
    length = _body_length(line, special)
    if length is None:
        lines.append(b"transfer-encoding: chunked")
    elif b"content-length" in special:
        lines.append(b"content-length: %d" % length)
    is_last = line.is_1_0 or b"close" in _tokens(special.get(b"connection", []))
    if is_last:
        lines.append(b"connection: close")
    if not line.is_1_0 and b"100-continue" in _tokens(special.get(b"expect", [])):
        lines.append(b"expect: 100-continue")
    return RequestHead(b"\r\n".join([*lines, b"", b""]), length, is_last)


def _host(line: RequestLine, hosts: list[bytes]) -> bytes | None:
    """Return the host; only HTTP/1.0 allows requests without one (RFC 9112, 3.2)."""
    if not hosts and line.host is None and line.is_1_0:
        return None
    if len(hosts) > 1 or not (hosts or line.is_1_0):
        raise InvalidHost
    for host in (*hosts, line.host):
        if host is not None and _HOST.fullmatch(host) is None:
            raise InvalidHost
    return hosts[0] if line.host is None else line.host


def _body_length(line: RequestLine, special: dict[bytes, list[bytes]]) -> int | None:
    """Return the length of the body, None for chunks (RFC 9112, 6.3)."""
    lengths = special.get(b"content-length", [])
    codings = special.get(b"transfer-encoding", [])
    if codings:
        if lengths:
            raise InvalidBodyFraming("send Content-Length or Transfer-Encoding, not both")
        if line.is_1_0:
            raise InvalidBodyFraming("HTTP/1.0 has no Transfer-Encoding")
        if len(codings) > 1 or codings[0].lower() != b"chunked":
            *others, last = _tokens(codings)
            if last != b"chunked" or b"chunked" in others:
                raise InvalidBodyFraming("the last transfer coding, and only that, is `chunked`")
            raise TransferCodingNotImplemented
        return None
    if not lengths:
        return 0
    if len(lengths) > 1 or _LENGTH.fullmatch(lengths[0]) is None:
        raise InvalidBodyFraming("Content-Length is not one number of at most 18 digits")
    return int(lengths[0])


def _tokens(values: list[bytes]) -> list[bytes]:
    return [part.strip(b" \t").lower() for part in b",".join(values).split(b",")]
