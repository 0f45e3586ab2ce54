"""POST /v1/analytics/sql and the catalogue of its tables."""

import csv
import io
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from fastapi.testclient import TestClient

from agentlog.infrastructure.analysts.login import given_login
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.tenants import Tenants
from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS
from tests.api.conftest import app_over, threads_over
from tests.api.refusals import problem_in
from tests.databases import new_database
from tests.infrastructure.appends import TENANT, reply
from tests.infrastructure.readmodels.tables import catch_up


@pytest.fixture(scope="module")
def client(server_url: str, template_database: str) -> Iterator[TestClient]:
    """A client of a service with two replies, in tables."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=4) as database,
    ):
        threads = threads_over(database)
        threads.append("t", [reply('one, "two"\nthree'), reply("é", metadata={"actor": "a"})])
        for model in PUBLIC_READ_MODELS.values():
            catch_up(database, model)
        with TestClient(app_over(database, threads)) as opened:
            yield opened


def ask(client: TestClient, sql: object, **given: Any) -> Any:
    """Ask; the headers may be given too."""
    headers = given.pop("headers", {})
    return client.post("/v1/analytics/sql", json={"sql": sql, **given}, headers=headers)


def test_an_answer_has_columns_rows_and_how_current_it_is(client: TestClient) -> None:
    answer = ask(
        client,
        "SELECT version, 1.10::numeric AS exact, 9007199254740993 AS big FROM messages "
        "WHERE thread_id = :thread ORDER BY version",
        parameters={"thread": "t"},
    )
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert "[[1,1.10,9007199254740993],[2,1.10,9007199254740993]]" in answer.text
    body = answer.json()
    assert body["columns"] == [
        {"name": "version", "type": "bigint"},
        {"name": "exact", "type": "numeric"},
        {"name": "big", "type": "bigint"},
    ]
    assert (body["rowCount"], body["truncated"]) == (2, False)
    assert body["asOf"] == dict.fromkeys(["events", *PUBLIC_READ_MODELS], 2)


def test_parameters_may_stand_in_a_list_and_rows_have_a_limit(client: TestClient) -> None:
    sql = "SELECT * FROM generate_series($1::int, $2::int)"
    body = ask(client, sql, parameters=[1, 5], limit=2, timeoutSeconds=1.5).json()
    assert (body["rows"], body["truncated"]) == ([[1], [2]], True)


@pytest.mark.parametrize(
    ("query", "headers"), [("", {"Accept": "text/csv"}), ("?format=csv", {"Accept": "*/*"})]
)
def test_an_answer_may_be_csv(client: TestClient, query: str, headers: dict[str, str]) -> None:
    sql = """
        SELECT body::json ->> 'text' AS said, NULL AS none, ARRAY[1,2] AS list, 1.10 AS n, true AS t
        FROM events ORDER BY position LIMIT 1"""
    answer = client.post(f"/v1/analytics/sql{query}", json={"sql": sql}, headers=headers)
    assert answer.headers["content-type"] == "text/csv; header=present; charset=utf-8"
    assert answer.headers["agentlog-truncated"] == "false"
    assert list(csv.reader(io.StringIO(answer.text, newline=""))) == [
        ["said", "none", "list", "n", "t"],
        ['one, "two"\nthree', "", "[1,2]", "1.10", "true"],
    ]


def test_json_that_is_too_deep_for_csv_comes_as_json(client: TestClient) -> None:
    sql = "SELECT (repeat('[', 2000) || repeat(']', 2000))::json"
    assert ask(client, sql).text.count("[") > 2000
    answer = client.post("/v1/analytics/sql?format=csv", json={"sql": sql})
    problem_in(answer, 422, "invalid-query", "nested too deep")


@pytest.mark.parametrize(
    ("sql", "status", "name", "facts"),
    [
        (
            "SELECT\n nope FROM messages",
            422,
            "query-rejected",
            {
                "sqlstate": "42703",
                "message": 'column "nope" does not exist',
                "position": 9,
                "line": 2,
                "column": 2,
            },
        ),
        ("SELECT * FROM agentlog.events", 403, "query-forbidden", {"sqlstate": "42501"}),
        ("DELETE FROM messages", 422, "not-a-query", None),
        ("SELECT 1; SELECT 2", 422, "not-a-query", None),
        ("SELECT repeat('x', 17000000)", 422, "row-too-large", None),
    ],
)
def test_what_is_refused_is_a_problem_that_says_where(
    client: TestClient, sql: str, status: int, name: str, facts: dict[str, object] | None
) -> None:
    problem = problem_in(ask(client, sql), status, name)
    if facts is None:
        assert "sql" not in problem
    else:
        assert {key: problem["sql"].get(key) for key in facts} == facts


def test_a_query_that_takes_too_long_is_a_problem(client: TestClient) -> None:
    answer = ask(client, "SELECT pg_sleep(20)", timeoutSeconds=0.1)
    problem_in(answer, 422, "query-too-slow", "after 0.1 s", "AGENTLOG_ANALYST_SECONDS")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"[]", "send a JSON object"),
        (b"{}", "sql: missing"),
        (b'{"sql": 1}', "sql: input should be a valid string"),
        (b'{"sql": "SELECT 1", "params": {}}', "params: no such field"),
        (b'{"sql": "SELECT 1", "parameters": 1}', "parameters"),
        (b'{"sql": "SELECT 1", "limit": "1"}', "limit: input should be a valid integer"),
        (b'{"sql": "SELECT 1", "limit": true}', "limit: input should be a valid integer"),
        (b'{"sql": "SELECT 1", "limit": 0}', "limit: from 1 to 100000"),
        (b'{"sql": "SELECT 1", "limit": 100001}', "limit: from 1 to 100000"),
        (
            b'{"sql": "SELECT 1", "timeoutSeconds": "1"}',
            "timeoutSeconds: input should be a valid number",
        ),
        (b'{"sql": "SELECT 1", "timeoutSeconds": 1e400}', "up to 30"),
        (b'{"sql": "SELECT 1", "timeoutSeconds": 0}', "more than 0"),
        (b'{"sql": "SELECT \\u0000"}', "sql: holds NUL"),
        (b'{"sql": "SELECT :a", "parameters": {"b": 1}}', "the query has no :b"),
    ],
)
def test_a_body_that_is_off_is_told_what_is(client: TestClient, body: bytes, words: str) -> None:
    answer = client.post("/v1/analytics/sql", content=body)
    problem_in(answer, 422, "invalid-query", words)


def test_a_body_that_is_not_json_is_refused(client: TestClient) -> None:
    problem_in(client.post("/v1/analytics/sql", content=b"SELECT 1"), 400, "invalid-json")
    answer = client.post("/v1/analytics/sql?format=xml", json={"sql": "SELECT 1"})
    problem_in(answer, 422, "invalid-request", "format")


def test_the_catalogue_names_tables_columns_types_and_meanings(client: TestClient) -> None:
    by_name = {
        item["name"]: item for item in client.get("/v1/analytics/sql/tables").json()["items"]
    }
    assert list(by_name) == sorted(["events", "progress", *PUBLIC_READ_MODELS])
    assert by_name["progress"] == {
        "name": "progress",
        "comment": "One row a table of those here: how much of the log is in it.",
        "columns": [
            {"name": "name", "type": "text", "comment": "the table"},
            {
                "name": "position",
                "type": "bigint",
                "comment": "every event up to this place in the log is in the table, "
                "and none after it",
            },
        ],
    }


def test_the_examples_of_the_document_are_answered(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    operation = document["paths"]["/v1/analytics/sql"]["post"]
    assert set(operation["responses"]["200"]["content"]) == {"application/json", "text/csv"}
    for example in document["components"]["schemas"]["Query"]["examples"]:
        answer = client.post("/v1/analytics/sql", json=example)
        assert answer.status_code == 200, answer.text


def test_without_a_login_the_service_says_what_it_takes(database: Database) -> None:
    app = app_over(database, threads_over(database), login_of=lambda _: given_login(None))
    with TestClient(app) as client:
        for answer in (ask(client, "SELECT 1"), client.get("/v1/analytics/sql/tables")):
            problem_in(answer, 404, "no-analyst-login", "agentlog sql --grants")


def test_who_finds_all_slots_taken_is_told_when_to_ask_again(client: TestClient) -> None:
    tenants: Tenants = client.app.state.tenants  # type: ignore[attr-defined] # of FastAPI
    analyst = tenants[TENANT].analyst
    with ExitStack() as taken:
        for _ in range(4):
            taken.enter_context(analyst.slot())
        for answer in (ask(client, "SELECT 1"), client.get("/v1/analytics/sql/tables")):
            problem_in(answer, 429, "too-many-queries", "AGENTLOG_ANALYST_QUERIES_IN_ALL")
            assert answer.headers["retry-after"] == "1"
    assert ask(client, "SELECT 1").status_code == 200
