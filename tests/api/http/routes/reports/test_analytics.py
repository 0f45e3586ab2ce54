"""Reports over HTTP: as JSON and CSV; what is off is a problem that says so."""

import csv
import json
import threading
from collections import Counter
from io import StringIO
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import PROJECTED
from agentlog.infrastructure.reports.catalogue import REPORTS
from agentlog.infrastructure.reports.report import Report
from agentlog.infrastructure.threads import Threads
from agentlog.projections.filters.grammar import InvalidFilterText, parse_filter
from tests.infrastructure.appends import STORY, last_position, reply
from tests.infrastructure.reports.histories import append_items, build_all, discard_all, some_items
from tests.waiting import WAIT_SECONDS


@pytest.fixture
def database(database_with_tables: Database) -> Database:
    """Read models are filled in it."""
    return database_with_tables


def ask(client: TestClient, name: str, **parameters: Any) -> Any:
    answer = client.get(f"/v1/analytics/{name}", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(client: TestClient, name: str, query: str) -> str:
    answer = client.get(f"/v1/analytics/{name}?{query}")
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    detail: str = answer.json()["detail"]
    return detail


def test_a_report_is_rows_by_column_with_units(
    client: TestClient, threads: Threads, database: Database
) -> None:
    threads.append("t", STORY)
    build_all(database)
    report = ask(client, "tools", **{"from": "2020-01-01", "to": "2100-01-01T00:00:00+02:00"})
    assert (report["report"], report["by"], report["asOf"]) == ("tools", ["tool"], len(STORY))
    assert (report["from"], report["to"]) == (
        "2020-01-01T00:00:00.000000Z",
        "2099-12-31T22:00:00.000000Z",
    )
    units = {column["name"]: column["unit"] for column in report["columns"]}
    assert (units["tool"], units["error_rate"], units["latency_p95"]) == (None, "share", "ms")
    (row,) = report["rows"]
    assert (row["tool"], row["calls"], row["failed"]) == ("f", 3, 1)
    assert set(row) == set(units)
    assert report["truncated"] is False


def statement_of(threads: dict[str, Any], row: dict[str, Any]) -> str:
    """Return the statement that lists the threads of a row, as the page puts it together."""
    conditions = list(threads["where"])
    for name, sql in threads["by"].items():
        value = row[name]
        text = value if isinstance(value, str) and "metadata." not in name else json.dumps(value)
        literal = "'" + text.replace("'", "''") + "'"
        conditions.append(f"{sql} IS NULL" if value is None else f"{sql} = {literal}")
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"{threads['begin']} {where} {threads['end']}"


def takes(report: Report, only: dict[str, str]) -> bool:
    try:
        parse_filter(only["filter"], report.terms)
    except InvalidFilterText:
        return False
    return True


def test_the_statement_of_a_row_lists_its_threads(client: TestClient, database: Database) -> None:
    append_items(database, some_items())
    build_all(database)
    narrow: list[dict[str, Any]] = [
        {"from": "2020-01-01", "filter": "-parent:boss-1"},
        {"filter": "metadata.team:r* or metadata.reward<1"},
        {"filter": "tool:search or tool:book"},
        {"filter": "-label:a"},
    ]
    compared: Counter[str] = Counter()
    for name, report in REPORTS.items():
        questions: list[tuple[dict[str, Any], str]] = [
            ({}, by) for by in [*report.breakdowns, "metadata.team", ""] if by != "thread"
        ]
        questions += [(only, report.by[0]) for only in narrow if report.by and takes(report, only)]
        for only, by in questions if report.by else ():
            answer = ask(client, name, by=by, **only)
            if answer["threads"] is None:
                continue
            pairs = ask(client, name, by=[by, "thread"] if by else "thread", **only)["rows"]
            for row in answer["rows"][:2]:
                sql = statement_of(answer["threads"], row)
                listed = client.post("/v1/analytics/sql", json={"sql": sql})
                assert listed.status_code == 200, (sql, listed.text)
                expected = {pair["thread"] for pair in pairs if not by or pair[by] == row[by]}
                assert {thread for thread, *_ in listed.json()["rows"]} == expected, sql
                compared[name] += 1
    without = {name for name, report in REPORTS.items() if report.model is None or not report.by}
    assert REPORTS.keys() - compared.keys() == without


def test_every_report_answers_in_every_form(client: TestClient, database: Database) -> None:
    append_items(database, some_items())
    build_all(database)
    listed = client.get("/v1/analytics").json()["items"]
    assert [report["name"] for report in listed] == list(REPORTS)
    for name in REPORTS:
        answer = ask(client, name)
        rows = list(csv.reader(StringIO(client.get(f"/v1/analytics/{name}?format=csv").text)))
        assert rows[0] == [column["name"] for column in answer["columns"]]
        assert len(rows) == len(answer["rows"]) + 1


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("*/*", "application/json"),
        ("text/csv", "text/csv; header=present; charset=utf-8"),
        ("application/json;q=0.5, text/csv", "text/csv; header=present; charset=utf-8"),
        ("text/csv;q=0.5, application/json", "application/json"),
        ("image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8", "application/json"),
        ("text/html,;q=x,", "application/json"),
    ],
)
def test_the_header_accept_chooses_the_form(
    client: TestClient, database: Database, accept: str, media_type: str
) -> None:
    build_all(database, "tool_calls")
    answer = client.get("/v1/analytics/tools", headers={"accept": accept})
    assert answer.headers["content-type"] == media_type
    assert answer.headers["vary"] == "Accept"


def test_filters_by_and_metadata_come_as_in_the_list_of_threads(
    client: TestClient, database: Database
) -> None:
    append_items(database, some_items())
    build_all(database)
    report = ask(client, "tools", by=["tool,day", "metadata.team"], clock="sent")
    assert report["by"] == ["tool", "day", "metadata.team"]
    whole = ask(client, "tools", by="")["rows"][0]["calls"]
    red = ask(client, "tools", by="", filter="metadata.team:red")["rows"][0]["calls"]
    rewarded = ask(client, "tools", by="", filter="metadata.reward:1.0")["rows"][0]["calls"]
    text = ask(client, "tools", by="", filter='metadata.reward:"1.0"')["rows"][0]["calls"]
    assert 0 < red < whole
    assert 0 < rewarded < whole
    assert text == 0
    some = ask(client, "tools", filter="tool:book or tool:mail")["rows"]
    assert {row["tool"] for row in some} == {"book", "mail"}
    one = ask(client, "tools", filter="tool:book", order="calls", limit=1)
    assert (len(one["rows"]), one["truncated"]) == (1, False)


def test_spreadsheets_do_not_compute_what_others_named(
    client: TestClient, threads: Threads, database: Database
) -> None:
    names = ["=1+1", "+x", "-x", "@x", "\tx", "a,b", 'a"b', "a\nb", "nul\x00 \u202e"]
    called = [{"id": str(n), "name": name} for n, name in enumerate(names)]
    threads.append("-t", [{"type": "tool_calls", "calls": called}])
    build_all(database)
    answer = client.get("/v1/analytics/tools?format=csv&by=tool,thread&order=tool")
    assert answer.status_code == 422  # a breakdown is no column of the report
    answer = client.get("/v1/analytics/tools?format=csv&by=tool,thread")
    assert answer.text.startswith("tool,thread,calls,")
    assert answer.headers["agentlog-truncated"] == "false"
    cells = {row[0]: row[1:] for row in csv.reader(StringIO(answer.text, newline=""))}
    plain = {"a,b", 'a"b', "a\nb", "nul\ufffd \u202e"}
    assert set(cells) == {"tool", *plain, "'=1+1", "'+x", "'-x", "'@x", "'\tx"}
    assert cells["'=1+1"] == [
        "'-t",
        "1",
        "0",
        "0",
        "0",
        "",
        "",
        "",
        "",
        "0",
        "0",
    ]  # nothing for null


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("by=colour", "it has tool, action, command, error_class, outcome, model, hour, day"),
        ("by=day&by=day", "the same twice"),
        ("colour=x", "'colour' is no parameter of this route: it takes format, by, from"),
        ("from=yesterday", "no RFC 3339 time"),
        ("from=2026-02-30", "no RFC 3339 time"),
        ("from=12", "no RFC 3339 time"),
        ("to=2026-01-01T00:00:00", "no RFC 3339 time"),
        ("from=2026-01-02&to=2026-01-01", "must be before to"),
        ("from=2026-01-02&from=2026-01-01", "given twice"),
        ("clock=wall", "clock: use one of recorded, sent"),
        ("order=-colour", "it has calls, answered, stated, failed, error_rate"),
        ("limit=0", "from 1 to 10000"),
        ("limit=x", "no whole number"),
        ("limit=-1", "no whole number"),
        ("tool=book", "tool: write filter=tool:book"),
        ("tool=a&tool=b%20c&metadata.n=5", 'filter=(tool:a or tool:"b c") metadata.n:5'),
        ('metadata.n="5"', 'metadata.n: write filter=metadata.n:"5"'),
        ("filter=provider:x", "'provider' is a term of rows of some reports"),
        ("filter=tool and model:a", "'tool' is compared, as tool:"),
        ("format=svg", "json"),
        ("wait=x", "no position of the log"),
        ("wait=-1", "no position of the log"),
    ],
)
def test_what_is_off_is_a_problem_that_says_what_there_is(
    client: TestClient, query: str, words: str
) -> None:
    assert words in refused(client, "tools", query)


def test_an_unknown_report_is_a_problem_that_names_those_there_are(client: TestClient) -> None:
    answer = client.get("/v1/analytics/weather")
    assert (answer.status_code, answer.json()["type"]) == (
        404,
        "urn:agentlog:problem:unknown-report",
    )
    assert "there are models, usage, failures" in answer.json()["detail"]


def test_what_is_not_built_yet_is_said(client: TestClient, database: Database) -> None:
    discard_all(database)
    for query in ("", "?wait=0"):
        answer = client.get(f"/v1/analytics/tools{query}")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert answer.json()["type"] == "urn:agentlog:problem:not-yet-built"
    assert client.get("/v1/analytics/anomalies").json()["rows"] == []


def test_waiting_reads_what_was_written(app: FastAPI, client: TestClient, threads: Threads) -> None:
    database: Database = app.state.database
    build_all(database, "tool_calls")
    threads.append("t", STORY)
    assert ask(client, "tools")["rows"] == []
    listener = app.state.projection_status.listener
    waiting = threading.Event()
    on = listener.on

    def noted(channel: str, ring: Any) -> Any:
        off = on(channel, ring)
        if channel == PROJECTED:
            waiting.set()
        return off

    listener.on = noted
    reports: list[Any] = []
    position = last_position(database)
    asking = threading.Thread(target=lambda: reports.append(ask(client, "tools", wait=position)))
    asking.start()
    assert waiting.wait(WAIT_SECONDS)
    build_all(database, "tool_calls")  # not before somebody waits
    asking.join()
    assert (reports[0]["asOf"], reports[0]["rows"][0]["calls"]) == (position, 3)


def test_waiting_for_what_never_comes_is_told(
    client: TestClient, threads: Threads, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads.append("t", [reply("one")])
    build_all(database)
    threads.append("t", [reply("two")])
    monkeypatch.setattr("agentlog.api.http.codec.wait_for_position.WAIT_SECONDS", 0.01)
    answer = client.get("/v1/analytics/tools?wait=2")
    assert (answer.status_code, answer.json()["type"]) == (
        503,
        "urn:agentlog:problem:projection-behind",
    )
    assert ask(client, "tools", wait=1)["asOf"] == 1
