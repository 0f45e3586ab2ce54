"""Queries of analysts: what they answer, with which digits, within which bounds."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from agentlog.domain.json.text import parse
from agentlog.infrastructure.analysts.analyst import Analyst
from agentlog.infrastructure.analysts.answers import AnswerColumn, QueryResult
from agentlog.infrastructure.analysts.errors import (
    InvalidQuery,
    NotAQuery,
    QueryRejected,
    QueryTooSlow,
    RowTooLarge,
)
from agentlog.infrastructure.analysts.slots import Slots
from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS
from tests.infrastructure.analysts.logins import login_of
from tests.infrastructure.appends import TENANT, fetch
from tests.waiting import WAIT_SECONDS


def rows(answer: QueryResult) -> list[Any]:
    """Return the rows of an answer as they read as JSON."""
    return [parse(row) for row in answer.rows]


def texts(answer: QueryResult) -> list[str]:
    """Return the rows as they were written."""
    return [row.decode() for row in answer.rows]


def test_an_answer_has_columns_rows_and_as_of_when_it_is(analyst: Analyst, full: Database) -> None:
    answer = analyst.query("SELECT type, count(*) AS n FROM messages GROUP BY 1 ORDER BY 2 DESC, 1")
    assert answer.columns == [AnswerColumn("type", "text"), AnswerColumn("n", "bigint")]
    assert ["reply", 2] in rows(answer)
    assert not answer.truncated
    ((position,),) = fetch(full, "SELECT position FROM agentlog.counter")
    assert answer.as_of == dict.fromkeys(["events", *PUBLIC_READ_MODELS], position)


@pytest.mark.parametrize(
    ("expression", "type_name", "written"),
    [
        ("NULL", "text", "null"),
        ("true", "boolean", "true"),
        ("9007199254740993::bigint", "bigint", "9007199254740993"),
        ("1.10::numeric(10,2)", "numeric(10,2)", "1.10"),
        ("12345678901234567890123.450", "numeric", "12345678901234567890123.450"),
        ("'NaN'::numeric", "numeric", '"NaN"'),
        ("'-Infinity'::float8", "double precision", '"-Infinity"'),
        ("0.1::float8", "double precision", "0.1"),
        ("1e300::float8", "double precision", "1e+300"),
        (
            "'2026-01-01 12:00:00.5+01'::timestamptz",
            "timestamp with time zone",
            '"2026-01-01T11:00:00.5+00:00"',
        ),
        ("'infinity'::timestamptz", "timestamp with time zone", '"infinity"'),
        ("'2026-01-01'::date", "date", '"2026-01-01"'),
        ("interval '90 seconds'", "interval", '"PT1M30S"'),
        ("'\\xdeadbeef'::bytea", "bytea", '"\\\\xdeadbeef"'),
        ("ARRAY[[1,2],[3,NULL]]", "integer[]", "[[1,2],[3,null]]"),
        ("""'{"b": 1.10, "a": 1e2}'::jsonb""", "jsonb", '{"a": 100, "b": 1.10}'),
        ("E'{\"a\":\\n1.10}'::json", "json", '{"a": 1.10}'),
        ("(1, 'x')", "record", '{"f1":1,"f2":"x"}'),
        ("'é\U0001f600\"'", "text", '"é\U0001f600\\""'),
        ("pg_sleep(0)", "void", '""'),
    ],
)
def test_each_type_comes_with_all_its_digits(
    analyst: Analyst, expression: str, type_name: str, written: str
) -> None:
    answer = analyst.query(f"SELECT {expression} AS x")
    assert answer.columns == [AnswerColumn("x", type_name)]
    assert texts(answer) == [f"[{written}]"]


def test_columns_may_be_none_share_a_name_or_be_many(analyst: Analyst) -> None:
    assert texts(analyst.query("SELECT")) == ["[]"]
    assert texts(analyst.query("SELECT 1 AS a, 2 AS a")) == ["[1,2]"]
    many = analyst.query(f"SELECT {', '.join(map(str, range(1600)))}")
    assert rows(many) == [list(range(1600))]


def test_the_order_of_a_query_is_the_order_of_its_answer(analyst: Analyst) -> None:
    query = "SELECT n FROM generate_series(1, 5000) AS n ORDER BY n % 7, n DESC"
    numbers = [row[0] for row in rows(analyst.query(query, limit=10_000))]
    assert numbers == sorted(range(1, 5001), key=lambda n: (n % 7, -n))


@pytest.mark.parametrize(
    ("query", "parameters", "expected"),
    [
        ("SELECT $2::text, $1::int + 1", [41, "a'b\"c\\"], ["a'b\"c\\", 42]),
        ("SELECT :a::int + :a::int, :b", {"a": 4, "b": None}, [8, None]),
        ("SELECT :x::numeric, :t::boolean", {"x": parse("1.10"), "t": True}, [1.1, True]),
        ("SELECT 'c' = ANY(:l), :l::text[]", {"l": [",", None, '"\\']}, [None, [",", None, '"\\']]),
        ("SELECT :l::int[]", {"l": [[1, 2], [3, 4]]}, [[[1, 2], [3, 4]]]),
        ("SELECT :o::jsonb", {"o": {"k": [1, {"x": "é"}]}}, [{"k": [1, {"x": "é"}]}]),
        ("SELECT ':a', \":a\".x, $$:a$$, $t$ :a $t$, E'\\':a', :a FROM (SELECT 1 AS x) AS \":a\"",
         {"a": "v"}, [":a", 1, ":a", " :a ", "':a", "v"]),
        ("SELECT :a -- :b '\n, 1 /* :b /* :b */ ' :b */ ; ", {"a": "v"}, ["v", 1]),
        ("SELECT :a, 1 /* /* x */ ' */, :a", {"a": "v"}, ["v", 1, "v"]),
        ("SELECT '7'::int, (ARRAY[1,2,3])[1:2], :int", {"int": "v"}, [7, [1, 2], "v"]),
        ("SELECT 10 % 3, 'a%s', '%(x)s'", {}, [1, "a%s", "%(x)s"]),
        ("SELECT count(*) >= 0 FROM messages WHERE recorded_at > :since AND type = ANY(:types)",
         {"since": "2026-01-01T00:00:00Z", "types": ["reply"]}, [True]),
        ("SELECT x FROM (VALUES (1), (2)) AS v (x) LIMIT :n", {"n": 1}, [1]),
    ],
)  # fmt: skip
def test_parameters_are_values_and_never_text(
    analyst: Analyst, query: str, parameters: Any, expected: Sequence[object]
) -> None:
    assert rows(analyst.query(query, parameters)) == [expected]


@pytest.mark.parametrize(
    ("query", "parameters", "words"),
    [
        ("SELECT 1", {"unused": 1}, "no :unused"),
        ("SELECT ':a'", {"a": 1}, "no :a"),
        ("SELECT $1::int, $2::int", [1], "takes 2 parameters, and 1 are given"),
        ("SELECT 1", [1], "takes 0 parameters, and 1 are given"),
        ("SELECT $1::int", {}, "takes 1 parameters, and 0 are given"),
        ("SELECT :a", {"a": "x\x00"}, "parameters.a: holds NUL"),
        ("SELECT $1", ["\ud800"], "not Unicode at character 1"),
        ("SELECT 1 -- \x00", {}, "sql: holds NUL"),
        ("SELECT '" + "x" * 100_000 + "'", {}, "longer than 100000 characters"),
        ("SELECT 1", [1] * 1001, "more than 1000"),
    ],
)
def test_what_postgresql_cannot_be_told_is_said_at_once(
    analyst: Analyst, query: str, parameters: Any, words: str
) -> None:
    with pytest.raises(InvalidQuery, match=words):
        analyst.query(query, parameters)


@pytest.mark.parametrize(
    ("query", "parameters", "sqlstate", "place"),
    [
        ("SELECT\n  nope FROM messages", {}, "42703", (2, 3)),
        ("SELECT :long::int + :long,\n :long + nope", {"long": 1}, "42703", (2, 10)),
        ("SELECT :a, nope", {"a": 1}, "42703", (1, 12)),
        ("SELEKT 1", {}, "42601", (1, 1)),
        ("SELECT (1", {}, "42601", (1, 10)),
        ("SELECT 1) AS q (c1), (SELECT 2", {}, "42601", (1, 9)),
        ("SELECT 1/0", {}, "22012", (None, None)),
        ("SELECT :n::int", {"n": "x"}, "22P02", (None, None)),
        ("SELECT :missing", {}, "42601", (1, 8)),
        ("SELECT 1 FROM nowhere", {}, "42P01", (1, 15)),
        (f"SELECT {'(' * 40_000}1{')' * 40_000}", {}, "42601", (1, 10_004)),
        (f"SELECT {'1+' * 40_000}1", {}, "54001", (None, None)),
    ],
)
def test_postgresqls_complaints_say_where_in_the_query_as_it_was_written(
    analyst: Analyst,
    query: str,
    parameters: Any,
    sqlstate: str,
    place: tuple[int | None, int | None],
) -> None:
    with pytest.raises(QueryRejected) as caught:
        analyst.query(query, parameters)
    complaint = caught.value.complaint
    assert (complaint.sqlstate, (complaint.line, complaint.column)) == (sqlstate, place)
    assert "to_json" not in str(caught.value)


def test_rows_end_at_the_limit_and_the_answer_says_whether_there_are_more(
    analyst: Analyst,
) -> None:
    query = "SELECT * FROM generate_series(1, 10)"
    for limit, count, truncated in [(9, 9, True), (10, 10, False), (11, 10, False)]:
        answer = analyst.query(query, limit=limit)
        assert (len(answer.rows), answer.truncated) == (count, truncated)


@pytest.mark.parametrize("limit", [0, -1, 100_001])
def test_limits_have_limits(analyst: Analyst, limit: int) -> None:
    with pytest.raises(InvalidQuery, match="limit: from 1 to 100000"):
        analyst.query("SELECT 1", limit=limit)


@pytest.mark.parametrize("seconds", [0, -1, 31, float("nan"), float("inf")])
def test_times_have_limits(analyst: Analyst, seconds: float) -> None:
    with pytest.raises(InvalidQuery, match="seconds: more than 0, up to 30"):
        analyst.query("SELECT 1", seconds=seconds)


def test_an_answer_ends_at_its_size_and_a_row_beyond_it_is_refused(full: Database) -> None:
    small = Analyst(login_of(full, TENANT), tenant=TENANT, slots=Slots(), most_bytes=10_000)
    answer = small.query("SELECT repeat('x', 1000), generate_series(1, 1000000000)")
    assert answer.truncated
    assert len(answer.rows) == 9
    with pytest.raises(RowTooLarge, match="10000 bytes"):
        small.query("SELECT repeat('x', 10000)")
    with pytest.raises(RowTooLarge):
        small.query("SELECT repeat('x', 5000), repeat('y', 5000)")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT pg_sleep(60)",
        "SELECT set_config('statement_timeout', '0', false), pg_sleep(60)",
        "SELECT set_config('statement_timeout', '0', true), count(*) FROM generate_series(1, 1e12)",
        "SELECT (SELECT count(*) FROM generate_series(1, 1e12) AS n WHERE n = 1) FROM messages",
        "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
    ],
)
def test_a_query_that_takes_too_long_is_broken_off(analyst: Analyst, query: str) -> None:
    with pytest.raises(QueryTooSlow, match=r"after 0\.2 s"):
        analyst.query(query, seconds=0.2)


def test_a_time_that_is_over_at_once_is_over(analyst: Analyst) -> None:
    for seconds in (5e-324, 0.0001, 0.001):
        with pytest.raises(QueryTooSlow):
            analyst.query("SELECT pg_sleep(20)", seconds=seconds)


def test_a_server_that_does_not_answer_is_not_waited_for(
    analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a function of the server's cannot be interrupted."""
    monkeypatch.setattr("agentlog.infrastructure.analysts.session._GRACE_SECONDS", -28.0)
    with pytest.raises(QueryTooSlow):
        analyst.query("SELECT pg_sleep(20)", seconds=28.3)


def test_queries_beside_one_another_do_not_meet(analyst: Analyst) -> None:
    together = threading.Barrier(4)
    answers: list[object] = []

    def ask(number: int) -> None:
        together.wait(timeout=WAIT_SECONDS)
        answers.append(rows(analyst.query("SELECT :n::int, pg_sleep(0.01)", {"n": number}))[0][0])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=WAIT_SECONDS)
    assert sorted(map(str, answers)) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("text", ["", " ; ", "-- nothing", "SELECT 1; SELECT 2", "SHOW all"])
def test_anything_but_one_query_is_refused(analyst: Analyst, text: str) -> None:
    with pytest.raises(NotAQuery):
        analyst.query(text)


def test_the_log_itself_is_a_table_with_whole_bodies(analyst: Analyst, full: Database) -> None:
    stored = fetch(
        full,
        "SELECT version, convert_from(agentlog.body_of(tenant, body, cuts), 'UTF8'), cuts IS NULL "
        "FROM agentlog.events WHERE tenant = %s ORDER BY position",
        TENANT,
    )
    assert [plain for _, _, plain in stored].count(False) == 2  # a long text, and a file
    bodies = rows(analyst.query("SELECT version, body FROM events ORDER BY position"))
    assert bodies == [[version, body] for version, body, _ in stored]
    asked = (
        "SELECT body::json ->> 'text' FROM events WHERE type = 'reply' ORDER BY position LIMIT 1"
    )
    assert rows(analyst.query(asked)) == [["Let me look."]]


def test_the_catalogue_is_what_the_read_models_say_of_themselves(analyst: Analyst) -> None:
    tables = {table.name: table for table in analyst.tables()}
    assert list(tables) == sorted(["events", "progress", *PUBLIC_READ_MODELS])
    for name, model in PUBLIC_READ_MODELS.items():
        assert tables[name].comment == model.table.comment
        types = {"timestamptz": "timestamp with time zone"}
        assert [(column.name, column.type, column.comment) for column in tables[name].columns] == [
            (column.name, types.get(column.type, column.type), column.comment)
            for column in model.table.columns
        ]


def test_every_table_and_column_says_what_it_means(analyst: Analyst) -> None:
    for table in analyst.tables():
        assert table.comment, table.name
        for column in table.columns:
            assert column.comment, (table.name, column.name)
        answer = analyst.query(f"SELECT * FROM {table.name} LIMIT 0")  # noqa: S608 - the catalogue's
        assert [(column.name, column.type) for column in answer.columns] == [
            (column.name, column.type) for column in table.columns
        ]
