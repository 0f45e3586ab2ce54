"""The service and the client agree on routes and parameters."""

import inspect
import re
from types import ModuleType
from typing import Any

import pytest

from agentlog.api.http.app import openapi_document
from agentlog_client import Client, operations
from agentlog_client.operation import Listing, Operation, Stream

OF_OTHER_CLIENTS = {
    ("GET", "/metrics"),
    ("GET", "/healthz"),
    ("POST", "/otlp/v1/traces"),
    ("POST", "/otlp/v1/logs"),
}
ARGUMENTS: dict[str, Any] = {
    "appends": [],
    "content": b"",
    "digest": "0" * 64,
    "messages": [],
    "metadata": {},
    "offset": 0,
    "passed_over": {},
    "paths": ["x"],
    "scopes": [],
}
"""By parameter; others are texts."""
DOCUMENT = openapi_document()["paths"]


FUNCTIONS = {
    name: function
    for module in vars(operations).values()
    if isinstance(module, ModuleType)
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__
    if not name.startswith("_") and name != "json_of"
}


def _asked(function: Any, *, whole: bool) -> tuple[str, str, set[str]]:
    """Return method and route of an operation, and the parameters that it sends."""
    given = {
        name: ARGUMENTS.get(name, "x")
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}
        and (whole or parameter.default is parameter.empty)
    }
    match function(**given):
        case Operation(asked) | Listing(asked) | Stream(asked):
            path, _, query = asked.target.partition("?")
            (route,) = (
                route
                for route, methods in DOCUMENT.items()
                if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route), path)
                and asked.method.lower() in methods
                and (route == path or path not in DOCUMENT)
            )
            names = {pair.partition("=")[0] for pair in query.split("&") if pair}
            return asked.method, route, names
    raise TypeError(function)


def test_every_route_has_an_operation_and_a_method() -> None:
    routes = {(method.upper(), path) for path, methods in DOCUMENT.items() for method in methods}
    asked = {_asked(function, whole=False)[:2] for function in FUNCTIONS.values()}
    assert asked == routes - OF_OTHER_CLIENTS | {("GET", "/readyz")}
    assert {name for name in FUNCTIONS if not hasattr(Client("http://x"), name)} == set()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_service_knows_the_parameters(name: str) -> None:
    method, route, sent = _asked(FUNCTIONS[name], whole=True)
    parameters = DOCUMENT[route][method.lower()].get("parameters", ())
    assert sent <= {parameter["name"] for parameter in parameters}


@pytest.mark.parametrize(
    ("messages", "place"),
    [("hello", 0), (5, 0), (None, 0), (["hello"], 0), ([{"type": "tick"}, b"x"], 1), ([[]], 0)],
)
def test_what_is_no_message_is_refused_with_its_place(messages: Any, place: int) -> None:
    reason = rf"messages\[{place}\] is .*: a message is a dict, as"
    with pytest.raises(TypeError, match=reason):
        operations.messages.append("t", messages)
    if isinstance(messages, list):
        with pytest.raises(TypeError, match=reason):
            operations.messages.append_many([("t", messages)])
