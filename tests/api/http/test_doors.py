"""Every route of the application, whatever is sent to it: no shape ends in a failure of ours.

The routes are those that the application has, with facades, MCP and spans: not those that the
OpenAPI document lists.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, urlencode

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.api.http.routing import Route
from tests.api.routes import ROUTES

_PARAMETER = re.compile(r"\{(\w+)(?::path)?\}")
_DOCUMENTED = {501, 503}
"""Of routes that are not there for a reason, or need a gateway."""
TEXTS = {
    "nul": "\x00",
    "surrogate": "\udcff",
    "quotes": "'\"\\;--%_",
    "number": "9" * 400,
    "negative": "-1",
    "digit": "\u0663",
    "float": "1e999",
    "nan": "NaN",
    "time": "2026-01-01T00:00:00+99:99",
    "cursor": "1.9999999999999999999~x",
    "brackets": "(" * 900,
    "empty": "",
}
BODIES = {
    "deep": b"[" * 2000 + b"]" * 2000,
    "deep field": b'{"messages":' + b"[" * 2000 + b"]" * 2000 + b"}",
    "unclosed": b'{"a":[' * 5000,
    "nul": b'{"input":"\\u0000","messages":[{"role":"user","content":"\\u0000"}]}',
    "surrogate": b'{"input":"\\ud800","messages":[{"role":"\\ud800","content":"\\ud800"}]}',
    "numbers": b'{"limit":1e999,"version":' + b"9" * 5000 + b"}",
    "wrong types": b'{"messages":{"role":1},"input":[[1],7],"metadata":[],"items":{"type":[]}}',
    "nan": b'{"input":NaN}',
    "twice": b'{"input":1,"input":2}',
    "bytes": bytes(range(256)),
    "array": b"[[],{},null,1]",
    "text": b'"\xc3\xa9"',
    "empty": b"",
}


class Shape(NamedTuple):
    """What is put into parameters, or into the body."""

    text: str
    body: bytes
    in_parameters: bool


SHAPES = {
    **{
        f"parameter: {name}": Shape(text, b"{}", in_parameters=True) for name, text in TEXTS.items()
    },
    **{f"body: {name}": Shape("x", body, in_parameters=False) for name, body in BODIES.items()},
}


def requests_of(route: Route, shape: Shape) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield paths with queries: the shape in all parameters of the query, then in each of the path.

    Where the body has the shape, the others are plain.
    """
    parameters = _PARAMETER.findall(route.template)
    plain = dict.fromkeys(parameters, "x")
    if not shape.in_parameters:
        yield path_of(route, plain), {}
        return
    for name in route.query:
        yield path_of(route, plain), {name: shape.text}
    for name in parameters:
        yield (
            path_of(route, {**plain, name: quote(shape.text, safe="", errors="surrogateescape")}),
            {},
        )


def path_of(route: Route, values: dict[str, str]) -> str:
    return _PARAMETER.sub(lambda match: values[match[1]], route.template)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("name", SHAPES)
def test_no_shape_at_any_door_is_a_failure_of_ours(app: FastAPI, name: str) -> None:
    shape, failed = SHAPES[name], {}
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    with TestClient(app, raise_server_exceptions=False) as client:
        for route in ROUTES:
            if route.stream and route.method == "GET":
                continue  # it follows the log, where it answers at all
            for path, query in requests_of(route, shape):
                answer = client.request(
                    route.method,
                    path,
                    params=urlencode(query, errors="surrogateescape"),
                    content=shape.body if route.method in {"POST", "PUT", "PATCH"} else None,
                    headers=headers,
                )
                if answer.status_code >= 500 and answer.status_code not in _DOCUMENTED:
                    failed[route.name, *query] = answer.text[:200]
        assert client.get("/healthz").status_code == 200
    assert failed == {}


def test_a_body_has_its_limit_at_every_door(app: FastAPI) -> None:
    """None reads more than the setting allows, whatever the route."""
    app.state.max_body_bytes = app.state.max_blob_bytes = 100
    taken = {}
    with TestClient(app, raise_server_exceptions=False) as client:
        for route in ROUTES:
            by_lines = route.name == "POST /v1/log"  # each of which has the limit
            if route.method in {"POST", "PUT", "PATCH"} and not by_lines:
                path = path_of(route, dict.fromkeys(_PARAMETER.findall(route.template), "0" * 64))
                answer = client.request(route.method, path, content=b'"' + b"x" * 200 + b'"')
                taken[route.name] = answer.status_code
    assert {name: status for name, status in taken.items() if status < 400} == {}
