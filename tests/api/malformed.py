"""Requests that are malformed or have two meanings, with their answers; and odd ones that pass.

The limits are those of `MAX_HEADER_BYTES` and 128 headers.
"""

from agentlog.api.http.server.request_framing import MAX_HEADERS

MAX_HEADER_BYTES = 4096
BODY = b'{"type":"tick"}'
SMUGGLED = b'POST /v1/threads/smuggled/messages HTTP/1.1\r\nHost: here\r\n\r\n{"type":"tick"}'

_GET = b"GET /healthz HTTP/1.1\r\n"
_HOST = b"Host: here\r\n"
_POST = b"POST /v1/threads/t/messages HTTP/1.1\r\n" + _HOST
_CHUNKED = _POST + b"Transfer-Encoding: chunked\r\n\r\n"
_LENGTH = b"Content-Length: 15\r\n"
_CHUNK = b"f\r\n" + BODY + b"\r\n"


def _line(line: bytes) -> bytes:
    return line + b"\r\n" + _HOST + b"\r\n"


def _headers(*lines: bytes) -> bytes:
    return _GET + _HOST + b"".join(line + b"\r\n" for line in lines) + b"\r\n"


def _hosts(*hosts: bytes) -> bytes:
    return _GET + b"".join(b"Host: " + host + b"\r\n" for host in hosts) + b"\r\n"


def _body(*lines: bytes, body: bytes = BODY) -> bytes:
    return _POST + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body


def of_size(size: int) -> bytes:
    """Return a request whose first line and headers have so many bytes."""
    begun = _GET + _HOST + b"X-Long: "
    return begun + b"a" * (size - len(begun) - 4) + b"\r\n\r\n"


_NOT_HTTP = {
    "nonsense": b"nonsense\r\n\r\n",
    "HTTP/0.9": b"GET /healthz\r\n",
    "HTTP/0.9 without a path": b"GET\r\n",
    "two empty lines before": b"\r\n\r\n" + _line(b"GET /healthz HTTP/1.1"),
    "a blank before the method": _line(b" GET /healthz HTTP/1.1"),
    "two blanks after the method": _line(b"GET  /healthz HTTP/1.1"),
    "two blanks before the version": _line(b"GET /healthz  HTTP/1.1"),
    "a blank after the version": _line(b"GET /healthz HTTP/1.1 "),
    "a tab between the parts": _line(b"GET\t/healthz\tHTTP/1.1"),
    "a blank in the target": _line(b"GET /health z HTTP/1.1"),
    "NUL in the target": _line(b"GET /healthz\x00 HTTP/1.1"),
    "a control character in the target": _line(b"GET /health\x1fz HTTP/1.1"),
    "DEL in the target": _line(b"GET /healthz\x7f HTTP/1.1"),
    "a CR in the target": _line(b"GET /health\rz HTTP/1.1"),
    "a target that is no ASCII": _line(b"GET /h\xc3\xa4lthz HTTP/1.1"),
    "a fragment": _line(b"GET /healthz#here HTTP/1.1"),
    "a target without a slash": _line(b"GET healthz HTTP/1.1"),
    "a target that is a query": _line(b"GET ?x=1 HTTP/1.1"),
    "a target of another scheme": _line(b"GET ftp://here/healthz HTTP/1.1"),
    "an asterisk as target": _line(b"GET * HTTP/1.1"),
    "a method that is no token": _line(b"G@T /healthz HTTP/1.1"),
    "http in small letters": _line(b"GET /healthz http/1.1"),
    "a version without a dot": _line(b"GET /healthz HTTP/1"),
    "a version of two digits": _line(b"GET /healthz HTTP/1.10"),
    "another protocol": _line(b"GET /healthz RTSP/1.0"),
    "lines that end with LF": b"GET /healthz HTTP/1.1\nHost: here\n\n",
    "a header that ends with LF": _GET + b"Host: here\nX-Y: z\r\n\r\n",
    "headers that end with LF": _GET + b"Host: here\r\n\n",
    "a CR in a value": _headers(b"X-Y: a\rb"),
    "a CR before the end of the line": _headers(b"X-Y: a\r"),
    "NUL in a value": _headers(b"X-Y: a\x00b"),
    "a control character in a value": _headers(b"X-Y: a\x0bb"),
    "DEL in a value": _headers(b"X-Y: a\x7fb"),
    "a blank before the colon": _headers(b"X-Y : a"),
    "a tab before the colon": _headers(b"X-Y\t: a"),
    "a blank in a name": _headers(b"X Y: a"),
    "NUL in a name": _headers(b"X-\x00: a"),
    "a name that is no ASCII": _headers(b"X-\xc3\xa4: a"),
    "a name in quotes": _headers(b'"X": a'),
    "no name": _headers(b": a"),
    "no colon": _headers(b"X-Y"),
    "a folded line": _headers(b"X-Y: a", b" b"),
    "a line folded with a tab": _headers(b"X-Y: a", b"\tb"),
    "a blank line before the headers": _GET + b" \r\n" + _HOST + b"\r\n",
    "a blank before Content-Length's colon": _body(b"Content-Length : 15"),
    "a blank before Transfer-Encoding's colon": _body(b"Transfer-Encoding : chunked", body=_CHUNK),
    "a trailer without a colon": _CHUNKED + _CHUNK + b"0\r\nX-Y\r\n\r\n",
    "a trailer that ends with LF": _CHUNKED + _CHUNK + b"0\r\nX-Y: a\n\r\n",
    "a chunk size that ends with LF": _CHUNKED + b"f\n" + BODY + b"\r\n0\r\n\r\n",
}
_HOSTS = {
    "no Host": _hosts(),
    "no Host, with a target that has one": b"GET http://here/healthz HTTP/1.1\r\n\r\n",
    "an empty Host": _hosts(b""),
    "two Hosts": _hosts(b"here", b"there"),
    "the same Host twice": _hosts(b"here", b"here"),
    "a list of Hosts": _hosts(b"here, there"),
    "Hosts apart by a blank": _hosts(b"here there"),
    "a Host with userinfo": _hosts(b"evil.com@127.0.0.1"),
    "a Host with a path": _hosts(b"here/there"),
    "a Host that is a URL": _hosts(b"http://here"),
    "a Host with a query": _hosts(b"here?x"),
    "a Host with a backslash": _hosts(b"here\\there"),
    "a Host in escapes": _hosts(b"h%65re"),
    "a Host whose port is no number": _hosts(b"here:http"),
    "a Host whose port is empty": _hosts(b"here:"),
    "a Host of two ports": _hosts(b"here:80:80"),
    "a Host that is a port": _hosts(b":80"),
    "a Host of six digits' port": _hosts(b"here:123456"),
    "a Host in half a bracket": _hosts(b"[::1"),
    "a Host that is a bare IPv6 address": _hosts(b"::1"),
    "a Host that is no ASCII": _hosts(b"h\xc3\xa4re"),
    "a target with userinfo": _line(b"GET http://me@here/healthz HTTP/1.1"),
    "a target with an empty host": _line(b"GET http:///healthz HTTP/1.1"),
}
_FRAMINGS = {
    "two lengths": _body(_LENGTH[:-2], b"Content-Length: 16"),
    "the same length twice": _body(_LENGTH[:-2], _LENGTH[:-2]),
    "a list of lengths": _body(b"Content-Length: 15, 15"),
    "an empty length": _body(b"Content-Length: "),
    "a negative length": _body(b"Content-Length: -15"),
    "a length with a sign": _body(b"Content-Length: +15"),
    "a length in hexadecimal": _body(b"Content-Length: 0xf"),
    "a length with a fraction": _body(b"Content-Length: 15.0"),
    "a length with an underscore": _body(b"Content-Length: 1_5"),
    "a length of two words": _body(b"Content-Length: 1 5"),
    "a length that is no ASCII": _body("Content-Length: \u0661".encode()),
    "a length beyond all": _body(b"Content-Length: 18446744073709551617"),
    "a length and chunks": _body(_LENGTH[:-2], b"Transfer-Encoding: chunked", body=_CHUNK),
    "chunks and a length": _body(b"Transfer-Encoding: chunked", _LENGTH[:-2], body=_CHUNK),
    "a length and gzip": _body(_LENGTH[:-2], b"Transfer-Encoding: gzip"),
    "chunked twice": _body(b"Transfer-Encoding: chunked, chunked", body=_CHUNK),
    "chunked in two lines": _body(*[b"Transfer-Encoding: chunked"] * 2, body=_CHUNK),
    "chunked before the last": _body(b"Transfer-Encoding: chunked, gzip", body=_CHUNK),
    "not chunked at all": _body(b"Transfer-Encoding: gzip", body=_CHUNK),
    "identity": _body(b"Transfer-Encoding: identity", body=_CHUNK),
    "nearly chunked": _body(b"Transfer-Encoding: xchunked", body=_CHUNK),
    "chunked in quotes": _body(b'Transfer-Encoding: "chunked"', body=_CHUNK),
    "chunked with a parameter": _body(b"Transfer-Encoding: chunked;q=1", body=_CHUNK),
    "no coding": _body(b"Transfer-Encoding: ", body=_CHUNK),
    "chunks in HTTP/1.0": _CHUNKED.replace(b"HTTP/1.1", b"HTTP/1.0") + _CHUNK + b"0\r\n\r\n",
    "a chunk size that is no number": _CHUNKED + b"x\r\n\r\n",
    "a chunk size in other digits": _CHUNKED + b"0xf\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk size with a sign": _CHUNKED + b"+f\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a negative chunk size": _CHUNKED + b"-1\r\n" + BODY + b"\r\n0\r\n\r\n",
    "an empty chunk size": _CHUNKED + b"\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a blank before a chunk size": _CHUNKED + b" f\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a blank after a chunk size": _CHUNKED + b"f \r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk size beyond 64 bits": _CHUNKED + b"1" + b"0" * 15 + b"f\r\n" + BODY + b"\r\n0\r\n\r\n",
    "NUL after a chunk size": _CHUNKED + b"f\x00\r\n" + BODY + b"\r\n0\r\n\r\n",
    "NUL in a chunk extension": _CHUNKED + b"f;a=\x00\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk extension too long": _CHUNKED
    + b"f;a="
    + b"b" * 1000
    + b"\r\n"
    + BODY
    + b"\r\n0\r\n\r\n",
    "a chunk size that never ends": _CHUNKED + b"0" * 1000,
    "a chunk that ends with LF": _CHUNKED + b"f\r\n" + BODY + b"\n0\r\n\r\n",
    "a chunk longer than its size": _CHUNKED + b"e\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk shorter than its size": _CHUNKED + b"10\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a bad chunk after a good one": _CHUNKED + _CHUNK + b"G\r\n\r\n",
}
_TOO_LARGE = {
    "a byte of headers too many": of_size(MAX_HEADER_BYTES + 1),
    "a target that never ends": b"GET /" + b"a" * 2 * MAX_HEADER_BYTES,
    "a header that never ends": _GET + b"X-Y: " + b"a" * 2 * MAX_HEADER_BYTES,
    "a method that never ends": b"G" * 2 * MAX_HEADER_BYTES,
    "too many headers": _headers(*[b"X-Y: z"] * MAX_HEADERS),
    "headers that never end": _GET + b"X-Y: a long one\r\n" * MAX_HEADER_BYTES,
    "too many trailers": _CHUNKED + _CHUNK + b"0\r\n" + b"a:\r\n" * MAX_HEADERS + b"\r\n",
    "trailers that never end": _CHUNKED + _CHUNK + b"0\r\n" + b"X-Y: long\r\n" * MAX_HEADER_BYTES,
    "a trailer that never ends": _CHUNKED + _CHUNK + b"0\r\nX-Y: " + b"a" * MAX_HEADER_BYTES,
}
_NO_METHOD = {
    "a method in small letters": _line(b"get /healthz HTTP/1.1"),
    "an unknown method": _line(b"BREW /healthz HTTP/1.1"),
    "TRACE": _line(b"TRACE /healthz HTTP/1.1"),
    "a tunnel": _line(b"CONNECT here:443 HTTP/1.1"),
    "two methods": b"GETGET /healthz HTTP/1.1\r\n" + _HOST + b"\r\n",
}
_VERSIONS = {
    "HTTP/2's preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/2.0": _line(b"GET /healthz HTTP/2.0"),
    "HTTP/3.0": _line(b"GET /healthz HTTP/3.0"),
    "HTTP/0.9 in words": _line(b"GET /healthz HTTP/0.9"),
}

MALFORMED: dict[str, tuple[bytes, int, str]] = {
    name: (raw, status, problem)
    for status, problem, cases in (
        (400, "not-http", _NOT_HTTP),
        (400, "invalid-host", _HOSTS),
        (400, "invalid-body-framing", _FRAMINGS),
        (431, "headers-too-large", _TOO_LARGE),
        (501, "method-not-implemented", _NO_METHOD),
        (
            501,
            "transfer-coding-not-implemented",
            {"gzip in chunks": _body(b"Transfer-Encoding: gzip, chunked", body=_CHUNK)},
        ),
        (505, "unknown-http-version", _VERSIONS),
    )
    for name, raw in cases.items()
}
"""Bytes that are refused, with the status and the problem; each ends the connection."""

WELL_FORMED: dict[str, tuple[bytes, int, bool]] = {
    "plain": (_headers(), 200, False),
    "an empty line before": (b"\r\n" + _headers(), 200, False),
    "as many header bytes as may be": (of_size(MAX_HEADER_BYTES), 200, False),
    "as many headers as may be": (_headers(*[b"X-Y: z"] * (MAX_HEADERS - 1)), 200, False),
    "blanks around a value": (_headers(b"X-Y:\t a b \t"), 200, False),
    "an empty value": (_headers(b"X-Y:"), 200, False),
    "a value that is no ASCII": (_headers(b"X-Y: \xff"), 200, False),
    "a Host with a port": (_hosts(b"here.example:8080"), 200, False),
    "a Host that is IPv6": (_hosts(b"[::1]:8080"), 200, False),
    "a target in absolute form": (_line(b"GET http://there:80/healthz HTTP/1.1"), 200, False),
    "a target of a host alone": (_line(b"OPTIONS HTTP://there HTTP/1.1"), 405, False),
    "an asterisk": (_line(b"OPTIONS * HTTP/1.1"), 404, False),
    "a later version": (_line(b"GET /healthz HTTP/1.9"), 200, False),
    "HTTP/1.0": (_line(b"GET /healthz HTTP/1.0"), 200, True),
    "HTTP/1.0 without Host": (b"GET /healthz HTTP/1.0\r\n\r\n", 200, True),
    "HTTP/1.0 to be kept": (_headers(b"Connection: keep-alive").replace(b"1.1", b"1.0"), 200, True),
    "the last": (_headers(b"Connection: keep-alive, Close"), 200, True),
    "a length": (_body(_LENGTH[:-2]), 201, False),
    "a length with zeros": (_body(b"Content-Length: 0015"), 201, False),
    "chunks": (_CHUNKED + _CHUNK + b"0\r\n\r\n", 201, False),
    "chunks by another name": (
        _body(b"TRANSFER-ENCODING: Chunked", body=_CHUNK + b"00\r\n\r\n"),
        201,
        False,
    ),
    "chunk extensions": (
        _CHUNKED + b'F ; a="b;c"\r\n' + BODY + b"\r\n0;x\r\n\r\n",
        201,
        False,
    ),
    "small chunks": (
        _CHUNKED + b"".join(b"1\r\n%c\r\n" % byte for byte in BODY) + b"0\r\n\r\n",
        201,
        False,
    ),
    "trailers": (_CHUNKED + _CHUNK + b'0\r\nIf-Match: "7"\r\nX-Request-Id: t\r\n\r\n', 201, False),
    "trailers that would frame a body": (
        _CHUNKED + _CHUNK + b"0\r\nContent-Length: 99\r\nTransfer-Encoding: gzip\r\n\r\n",
        201,
        False,
    ),
    "an upgrade to HTTP/2": (
        _body(
            b"Connection: Upgrade, HTTP2-Settings",
            b"Upgrade: h2c",
            b"HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
            _LENGTH[:-2],
        ),
        201,
        False,
    ),
    "an upgrade with a request as body": (
        _body(
            b"Connection: Upgrade",
            b"Upgrade: h2c",
            b"Content-Length: %d" % len(SMUGGLED),
            body=SMUGGLED,
        ),
        400,
        False,
    ),
    "an upgrade to a socket": (
        _headers(b"Connection: Upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13"),
        200,
        False,
    ),
    "a body for GET": (_headers(b"Content-Length: 15") + BODY, 200, False),
    "a body that is a request": (
        _headers(b"Content-Length: %d" % len(SMUGGLED)) + SMUGGLED,
        200,
        False,
    ),
}
"""Bytes that pass, with the status, and whether the connection ends after the answer."""
