"""The OpenAPI document: valid, complete, true of the service; nothing it allows brings a 5xx."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import APIOperation, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from agentlog.domain.access import SCOPES
from agentlog.domain.catalogue import MESSAGE_TYPES
from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.readmodels.registry import READ_MODELS
from agentlog.projections.registry import VIEWS, option_values
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.keyholders import bearing, make_key
from tests.histories import examples
from tests.infrastructure.appends import STORY, check_log
from tests.infrastructure.readmodels.tables import catch_up


def _lines(_: schemathesis.SerializationContext, value: Any) -> bytes:
    return str(value).encode(errors="replace")


schemathesis.serializer("application/x-ndjson")(_lines)  # it knows none for lines

METHODS = {"get", "post", "put", "delete", "patch", "head"}


@pytest.fixture
def database(database_with_tables: Database) -> Database:
    """Read models are filled in it."""
    return database_with_tables


@pytest.fixture(scope="module")
def document(shared_database: Database) -> dict[str, Any]:
    """The document as it is served; to make it takes longer than to look at it."""
    app = app_over(shared_database, threads_over(shared_database))
    with TestClient(app) as client:
        answer = client.get("/openapi.json")
    end_following(app)
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method in METHODS & set(item):
            yield f"{method.upper()} {path}", item[method]


def _references(value: Any) -> Iterator[str]:
    match value:
        case {"$ref": str(reference)}:
            yield reference
        case dict():
            for inner in value.values():
                yield from _references(inner)
        case list():
            for inner in value:
                yield from _references(inner)
        case _:
            pass


CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture
def schema(app: FastAPI) -> OpenApiSchema:
    """The document as schemathesis reads it."""
    return schemathesis.openapi.from_asgi("/openapi.json", app)


def test_the_document_is_valid(schema: OpenApiSchema) -> None:
    schema.validate()
    assert schema.raw_schema["openapi"].startswith("3.1")


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    references = set(_references(document))
    assert references
    for reference in references:
        assert reference.removeprefix("#/components/schemas/") in schemas
    assert "HTTPValidationError" not in schemas  # the framework's own: we answer with problems


BODILESS = {
    *(f"POST /v1/projections/{{name}}/{verb}" for verb in ("rebuild", "pause", "resume")),
    *(f"POST /v1/subscriptions/{{name}}/{verb}" for verb in ("pause", "resume")),
    *(f"POST /v1/imports/{{import_id}}/{verb}" for verb in ("undo", "redo")),
}
"""What they are asked for stands in their paths."""


def test_every_operation_says_what_it_does_and_what_it_answers(document: dict[str, Any]) -> None:
    for name, operation in _operations(document):
        assert operation["description"], name
        assert operation["summary"], name
        assert operation["tags"], name
        for status, answer in operation["responses"].items():
            assert answer["description"], (name, status)
            content = answer.get("content", {})
            assert content or status == "304", (name, status)
            kind = "application/problem+json" if int(status) >= 400 else ""
            assert not kind or set(content) == {kind}, (name, status)
            assert all("$ref" in media["schema"] for media in content.values()), (name, status)
        if name.startswith("POST") and name not in BODILESS:
            assert operation["requestBody"]["description"], name
            bounded = name != "POST /v1/log"  # there each line is, and is told so in its answer
            assert ("413" in operation["responses"]) is bounded, name


def test_every_parameter_is_described_or_says_enough_by_its_pattern(
    document: dict[str, Any],
) -> None:
    for name, operation in _operations(document):
        for parameter in operation.get("parameters", []):
            schema = parameter["schema"]
            plain = {"pattern", "enum", "minimum", "$ref"} & {
                *schema,
                *(key for choice in schema.get("anyOf", []) for key in choice),
            }
            assert parameter.get("description") or plain, (name, parameter["name"])


def test_every_type_of_message_and_every_view_and_option_is_in_the_document(
    document: dict[str, Any],
) -> None:
    schemas = document["components"]["schemas"]
    for word, cls in MESSAGE_TYPES.items():
        assert schemas[cls.__name__]["properties"]["type"]["const"] == word
        assert word in schemas["Message"]["description"]
        assert not {"id", "timestamp"} & set(schemas[cls.__name__]["required"])
    parameters = document["paths"]["/v1/threads/{thread_id}/views/{view}"]["get"]["parameters"]
    named = {parameter["name"]: parameter for parameter in parameters}
    for view in VIEWS.values():
        assert view.name in named["view"]["description"]
        for option, values in option_values(view).items():
            assert view.name in named[option]["description"]
            assert set(values) <= set(named[option]["schema"]["enum"])


BODIES = {
    "StartBody": "/v1/threads",
    "AppendBody": "/v1/threads/t/messages",
    "CloseBody": "/v1/threads/t/close",
    "AnnotateBody": "/v1/threads/t/annotate",
    "RemarkBody": "/v1/threads/t/remarks",
    "BulkLines": "/v1/log",
    "Query": "/v1/analytics/sql",
    "KeyBody": "/v1/keys",
    "SubscriptionBody": "/v1/subscriptions",
}


@pytest.mark.parametrize(("name", "path"), BODIES.items())
def test_the_examples_of_a_body_are_taken_by_the_service(
    client: TestClient, document: dict[str, Any], name: str, path: str
) -> None:
    examples = document["components"]["schemas"][name]["examples"]
    assert examples
    for example in examples:
        if name != "StartBody":
            client.post("/v1/threads/t/messages", json={"type": "tick"})
        asked = {"content": example} if isinstance(example, str) else {"json": example}
        answer = client.post(path, **asked)
        assert answer.status_code in {200, 201}, answer.text
        assert "problem" not in answer.text


def test_the_examples_of_messages_are_one_history(
    client: TestClient, document: dict[str, Any]
) -> None:
    examples = document["components"]["schemas"]["Message"]["examples"]
    assert client.post("/v1/threads/t/messages", json=examples).status_code == 201
    shown = client.get("/v1/threads/t/views/openai?bare=true").json()
    assert [item["role"] for item in shown] == ["user", "assistant", "tool", "assistant"]


def test_the_examples_of_parameters_are_of_their_pattern(document: dict[str, Any]) -> None:
    checked = 0
    for _, operation in _operations(document):
        for parameter in operation.get("parameters", []):
            pattern = parameter["schema"].get("pattern")
            for example in parameter["schema"].get("examples", []) if pattern else []:
                assert re.search(pattern, example)
                checked += 1
    assert checked > 0


# the pool of connections does, in threads of its own
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: str(mode.value))
def test_nothing_that_the_document_allows_or_forbids_brings_a_5xx(
    app: FastAPI, client: TestClient, database: Database, mode: GenerationMode
) -> None:
    client.post("/v1/threads", json={"threadId": "support-42", "policy": "record"})
    client.post("/v1/threads/support-42/messages", json=STORY)
    for model in READ_MODELS.values():
        catch_up(database, model)
    tried = Counter[int]()
    headers = dict(bearing(make_key(app, *SCOPES)))

    def try_out(operation: APIOperation[Any, Any, Any, Any]) -> None:
        @settings(
            examples(2, long=40),
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: schemathesis.Case[Any]) -> None:
            if operation.tags == ["streams"]:  # one that goes on, or waits as long as it was
                case.query = {**(case.query or {}), "follow": "false"}
                case.query.pop("speed", None)
            if isinstance((case.query or {}).get("wait"), int):  # it may be waited for in vain
                case.query = {**(case.query or {}), "wait": 0}
            # a first key is made on the way
            response = case.call_and_validate(checks=CHECKS, headers=headers)
            tried[response.status_code] += 1

        ask()

    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=headers)
    operations = [
        operation.ok() for operation in schema.get_all_operations() if isinstance(operation, Ok)
    ]
    document = client.get("/openapi.json", headers=headers).json()
    assert len(operations) == len(list(_operations(document)))
    for operation in operations:
        can_be_wrong = bool([*operation.iter_parameters()] or operation.body)
        if mode is GenerationMode.POSITIVE or can_be_wrong:
            try_out(operation)
    assert tried[422] > 0
    assert mode is GenerationMode.NEGATIVE or tried[200] + tried[201] > 0
    check_log(database)
