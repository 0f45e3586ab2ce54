"""Reports against straight computations over the items that were appended."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection import Projection
from agentlog.infrastructure.readmodels.projection_status import NotYetBuilt
from agentlog.infrastructure.readmodels.tables import BuildTable
from agentlog.infrastructure.reports import reports as reports_module
from agentlog.infrastructure.reports.catalogue import REPORTS, UnknownReport
from agentlog.infrastructure.reports.live_tables import live_tables
from agentlog.infrastructure.reports.question import InvalidQuestion, Question
from agentlog.infrastructure.reports.reports import ReportResult, Reports, ReportTooLong
from agentlog.infrastructure.reports.summaries import Summaries, SummaryQuery
from agentlog.projections.filters.expression import And, Term
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.infrastructure.appends import (
    NOON,
    TENANT,
    Clock,
    Ids,
    calls,
    fetch,
    last_position,
    request,
    results,
    started,
)
from tests.infrastructure.reports.histories import (
    Item,
    append_items,
    build_all,
    filter_of,
    some_items,
)

ITEMS = some_items()
Row = dict[str, Any]


def percentiles(values: Sequence[int]) -> list[float | None]:
    """Return the 50th, 95th and 99th, between two values in proportion (as percentile_cont)."""
    ordered = sorted(values)
    if not ordered:
        return [None] * 3
    shares: list[float | None] = []
    for share in (0.5, 0.95, 0.99):
        place = share * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        shares.append(round(ordered[low] + (place - low) * (ordered[high] - ordered[low]), 3))
    return shares


def rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def ended(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if item.took is not None]


def took(items: Sequence[Item]) -> list[float | None]:
    return percentiles([item.took for item in items if item.took is not None])


def tools(items: Sequence[Item]) -> list[Any]:
    failed = sum(item.failed for item in items)
    answered = len(ended(items))
    stated = sum(item.failed or item.about["tool"] == "mail" for item in ended(items))
    known = rate(failed, stated) if stated > failed or stated == answered else None
    return [len(items), answered, stated, failed, known, *took(items), 0, 0]


def models(items: Sequence[Item]) -> list[Any]:
    failed, done = sum(item.failed for item in items), len(ended(items))
    counts = [len(items), done - failed, failed, len(items) - done]
    return [*counts, rate(failed, done), *took(items)]


def usage(items: Sequence[Item]) -> list[Any]:
    answered = [item.about for item in ended(items) if not item.failed]
    tokens = [about["tokens"] for about in answered if about["tokens"] is not None]
    costs = [about["cost"] for about in answered if about["cost"] is not None]
    read, written = (sum(tokens), 7 * len(tokens)) if tokens else (None, None)
    total = None if read is None or written is None else read + written
    cost = float(round(sum(costs), 9)) if costs else None
    computed, unpriced = 0, len(answered) - len(costs)  # no list has prices of these models
    figures = [len(items), read, None, written, None, total, cost, computed, unpriced, None]
    return [*figures, None, None]  # nothing was written to a cache


def yes_or_no(items: Sequence[Item]) -> list[Any]:
    failed, done = sum(item.failed for item in items), len(ended(items))
    return [len(items), done - failed, failed, len(items) - done]


def approvals(items: Sequence[Item]) -> list[Any]:
    asked, granted, denied, unanswered = yes_or_no(items)
    return [asked, granted, denied, unanswered, rate(granted, granted + denied), *took(items)]


def workers(items: Sequence[Item]) -> list[Any]:
    spawned, succeeded, failed, away = yes_or_no(items)
    return [spawned, succeeded, failed, away, rate(failed, succeeded + failed), *took(items)]


STRAIGHT: dict[str, tuple[str, Callable[[Sequence[Item]], list[Any]]]] = {
    "tools": ("tool", tools),
    "models": ("model", models),
    "usage": ("model", usage),
    "approvals": ("approval", approvals),
    "workers": ("worker", workers),
}


def moment(item: Item) -> datetime:
    return datetime.fromtimestamp(item.at / 1000, UTC)


def said(item: Item, name: str) -> Any:
    """Return what a breakdown says of an item."""
    match name:
        case "day":
            return moment(item).date().isoformat()
        case "hour":
            return f"{moment(item).isoformat()[:13]}:00:00Z"
        case "week":
            day = moment(item).date()
            return (day - timedelta(days=day.weekday())).isoformat()
        case "month":
            return f"{moment(item).date().isoformat()[:7]}-01"
        case "thread":
            return item.thread
        case "parent":
            return item.facts.get("parent")
        case "error_class":
            return item.about[name] if item.failed else None
        case _ if name.startswith("metadata."):
            return item.facts["metadata"].get(name.removeprefix("metadata."))
        case _:
            return item.about[name]


def straight(name: str, by: Sequence[str], items: Sequence[Item]) -> dict[tuple[Any, ...], Any]:
    kind, compute = STRAIGHT[name]
    groups: defaultdict[tuple[Any, ...], list[Item]] = defaultdict(list)
    if not by:
        groups[()] = []
    for item in items:
        if item.kind == kind:
            groups[tuple(said(item, column) for column in by)].append(item)
    return {key: compute(chosen) for key, chosen in groups.items()}


def rows_of(answer: ReportResult) -> dict[tuple[Any, ...], Any]:
    """Return an answer's rows by what they are about, each once."""
    number = len(answer.by)
    rows = {row[:number]: list(row[number:]) for row in answer.rows}
    assert len(rows) == len(answer.rows)
    return rows


GENERAL: list[tuple[str, ...]] = [
    (),
    ("day",),
    ("hour",),
    ("week", "month"),
    ("thread",),
    ("parent",),
    ("metadata.team",),
    ("metadata.reward", "day"),
    ("metadata.nothing",),
    ("parent", "metadata.team", "thread", "metadata.reward"),
]
OWN: dict[str, list[tuple[str, ...]]] = {
    "tools": [("tool",), ("tool", "day"), ("error_class",), ("metadata.team", "tool")],
    "models": [("model",), ("day", "model")],
    "usage": [("model",), ("day", "model", "thread")],
    "approvals": [("tool",)],
    "workers": [("model",), ("model", "parent")],
}


@pytest.mark.parametrize(
    ("name", "by"), [(name, by) for name in STRAIGHT for by in GENERAL + OWN[name]]
)
def test_every_breakdown_is_what_a_straight_computation_says(
    reports: Reports, name: str, by: tuple[str, ...]
) -> None:
    answer = reports.ask(name, Question(by=by, clock="sent"))
    assert rows_of(answer) == straight(name, by, ITEMS)
    assert not answer.truncated


@pytest.mark.parametrize("name", STRAIGHT)
@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ({"where": "thread:run-1 or thread:run-4"}, lambda i: i.thread in {"run-1", "run-4"}),
        ({"where": "-parent:boss-1"}, lambda i: i.facts.get("parent") != "boss-1"),
        ({"where": "parent:boss-1"}, lambda i: i.facts.get("parent") == "boss-1"),
        ({"where": "metadata.team:r*"}, lambda i: i.facts["metadata"]["team"] == "red"),
        ({"where": "metadata.reward:1.0"}, lambda i: i.facts["metadata"].get("reward") == 1),
        (
            {"where": "metadata.reward:1 and metadata.team:blue parent:boss-2"},
            lambda i: (
                i.facts["metadata"].get("reward") == 1
                and i.facts["metadata"]["team"] == "blue"
                and i.facts.get("parent") == "boss-2"
            ),
        ),
        ({"where": "metadata.team:nobody"}, lambda _: False),
        ({"begin": moment(ITEMS[9])}, lambda i: i.at >= ITEMS[9].at),
        ({"end": moment(ITEMS[9])}, lambda i: i.at < ITEMS[9].at),
        (
            {"begin": datetime(2026, 1, 2, tzinfo=UTC), "end": datetime(2026, 1, 3, tzinfo=UTC)},
            lambda i: said(i, "day") == "2026-01-02",
        ),
    ],
)
def test_every_filter_narrows_as_a_straight_computation_does(
    reports: Reports, name: str, question: dict[str, Any], holds: Callable[[Item], bool]
) -> None:
    by = ("day", "metadata.team")
    times = {key: value for key, value in question.items() if key != "where"}
    where = filter_of(name, question.get("where", ""))
    answer = reports.ask(name, Question(by=by, clock="sent", where=where, **times))
    assert rows_of(answer) == straight(name, by, [item for item in ITEMS if holds(item)])


def test_tools_and_models_narrow(reports: Reports) -> None:
    answer = reports.ask("tools", Question(where=filter_of("tools", "tool:book or tool:mail")))
    chosen = [i for i in ITEMS if i.kind == "tool" and i.about["tool"] in {"book", "mail"}]
    assert rows_of(answer) == straight("tools", ("tool",), chosen)
    answer = reports.ask("usage", Question(by=["model"], where=filter_of("usage", "model:big")))
    chosen = [i for i in ITEMS if i.kind == "model" and i.about["model"] == "big"]
    assert rows_of(answer) == straight("usage", ("model",), chosen)


def test_the_slowest_calls_come_first_with_links_to_them(reports: Reports) -> None:
    answer = reports.ask("slowest", Question(limit=5))
    chosen = sorted((i for i in ended(ITEMS) if i.kind == "tool"), key=lambda i: -(i.took or 0))
    rows = [
        dict(zip([column.name for column in answer.columns], row, strict=True))
        for row in answer.rows
    ]
    assert [row["latency"] for row in rows] == [item.took for item in chosen[:5]]
    assert [row["thread"] for row in rows] == [item.thread for item in chosen[:5]]
    assert answer.truncated
    for row in rows:
        version, length = row["version"], row["answered_version"] - row["version"] + 1
        assert row["link"] == (
            f"/v1/threads/{row['thread']}/messages?after={version - 1}&limit={length}"
        )


def test_failures_say_how_often_and_where_the_last_is(reports: Reports, filled: Database) -> None:
    answer = reports.ask("failures", Question())
    failed = [item for item in ITEMS if item.kind == "tool" and item.failed]
    by_tool: defaultdict[str, list[Item]] = defaultdict(list)
    for item in failed:
        by_tool[item.about["tool"]].append(item)
    names = [column.name for column in answer.columns]
    rows = [dict(zip(names, row, strict=True)) for row in answer.rows]
    assert {(row["tool"], row["error_class"]): row["failed"] for row in rows} == {
        (tool, "Timeout"): len(items) for tool, items in by_tool.items()
    }
    counts = [int(str(row["failed"])) for row in rows]
    assert counts == sorted(counts, reverse=True)
    for row in rows:
        items = by_tool[row["tool"]]
        assert row["threads"] == len({item.thread for item in items})
        assert row["thread"] == items[-1].thread  # threads were appended in this order
        ((type_name, position),) = fetch(
            filled,
            "SELECT type, position FROM agentlog.events "
            "WHERE tenant = %s AND thread_id = %s AND version = %s",
            TENANT,
            row["thread"],
            row["version"],
        )
        assert (type_name, position) == ("tool_calls", row["position"])
        assert row["first_at"] <= row["last_at"]


def test_suspects_say_which_rules_mark_how_many_results_of_which_tools(
    own_database: Database,
) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    outputs: list[Any] = ["Error: exit code 2", "Error: no", "fine", {"ok": False}]
    for number, output in enumerate(outputs):
        answered = {"callId": "c", "output": output}
        drafts = calls("c"), {"type": "tool_results", "results": [answered]}
        facts = [started(policy="record", metadata={"team": "red" if number else "blue"})]
        writer.append(AppendRequest(TENANT, f"t{number}", drafts, facts))
    stated = {"callId": "c", "output": "Error: no", "error": "no"}
    writer.append(request("u", calls("c"), {"type": "tool_results", "results": [stated]}))
    build_all(own_database)
    reports = Reports(own_database, tenant=TENANT)

    def rows(*by: str) -> list[tuple[Any, ...]]:
        return [row[: len(by) + 2] for row in reports.ask("suspects", Question(by=by)).rows]

    assert sorted(rows("tool", "rule")) == [
        ("f", "error_text", 2, 2),
        ("f", "exit_code", 1, 1),
        ("f", "failure_field", 1, 1),
    ]
    assert rows("tool") == [("f", 3, 3)]
    assert sorted(rows("metadata.team")) == [("blue", 1, 1), ("red", 2, 2)]
    assert [row[1:] for row in rows("day")] == [(3, 3)]
    (row,) = reports.ask(
        "suspects", Question(where=filter_of("suspects", "rule:failure_field"))
    ).rows
    assert row[-3:] == ("/v1/threads/t3/messages?after=1&limit=2", 1, 0)


def test_loops_say_which_tools_repeat_which_calls_and_where(own_database: Database) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    for thread, times in (("t", 3), ("u", 5), ("v", 2)):
        asked = [
            {"type": "tool_calls", "calls": [{"id": f"c{n}", "name": "sh", "args": {"cmd": "ls"}}]}
            for n in range(times)
        ]
        facts = [started(policy="record", metadata={"team": thread})]
        writer.append(AppendRequest(TENANT, thread, asked, facts))
    build_all(own_database)
    reports = Reports(own_database, tenant=TENANT)
    in_a_row, often = reports.ask("loops", Question(by=("command", "rule"))).rows
    assert in_a_row == ("ls", "repeated_in_a_row", 2, 4, "u", 4, 6, "/v1/threads/u/outline")
    assert often[:6] == ("ls", "repeated_often", 1, 1, "u", 6)
    rows = reports.ask("loops", Question(by=("metadata.team",))).rows
    assert [row[:3] for row in rows] == [("u", 1, 4), ("t", 1, 1)]
    summaries = Summaries(own_database, tenant=TENANT)
    page = summaries.page(SummaryQuery(parse_filter("rule:repeated_often", "list")))
    assert [(row.thread_id, row.suspected, row.loops) for row in page.items] == [("u", 3, 3)]
    looping = summaries.page(SummaryQuery(parse_filter("loops>0", "list"), sort="loops")).items
    assert [(row.thread_id, row.marks[0]["tool"]) for row in looping] == [("u", "sh"), ("t", "sh")]


def test_outcomes_go_by_scores_and_else_by_exits(own_database: Database) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    ended = {"type": "exit", "reason": "complete"}
    for thread, metadata, messages in (
        ("a", {"reward": 0.0}, [ended]),
        ("b", {"reward": 1.0}, [ended]),
        ("c", {}, [ended]),
        ("d", {}, [{"type": "reply", "text": "hi"}]),
    ):
        facts = [started(policy="record", metadata=metadata)]
        writer.append(AppendRequest(TENANT, thread, messages, facts))
    build_all(own_database)
    answer = Reports(own_database, tenant=TENANT).ask("outcomes", Question(by=()))
    names = [column.name for column in answer.columns]
    (row,) = [dict(zip(names, row, strict=True)) for row in answer.rows]
    counts = {"threads": 4, "succeeded": 2, "failed": 1, "unknown": 1}
    assert row.items() >= {**counts, "success_rate": 2 / 3, "score_mean": 0.5}.items()
    summaries = Summaries(own_database, tenant=TENANT)
    for text, threads in (
        ("succeeded", ["b", "c"]),
        ("failed", ["a"]),
        ("-succeeded -failed", ["d"]),
    ):
        where = parse_filter(text, "list")
        page = summaries.page(SummaryQuery(where, sort="thread_id", descending=False))
        assert [row.thread_id for row in page.items] == threads


def test_outliers_are_the_slow_dear_and_unanswered_calls(own_database: Database) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    for thread, last in (("a", 1), ("b", 2)):
        drafts = [
            {**draft, "timestamp": NOON + n * 60_000 + took}
            for n in range(8 + last)
            for draft, took in (
                ({"type": "llm_request", "model": "big"}, 0),
                ({"type": "llm_response", "costUsd": 0.01}, 100 if n < 8 else 9000),
            )
        ]
        asked = {"type": "tool_calls", "calls": [{"id": "x", "name": "bash"}]}
        facts = [started(policy="record")]
        writer.append(AppendRequest(TENANT, thread, [*drafts, asked], facts))
    writer.append(AppendRequest(TENANT, "a", [{"type": "exit", "reason": "error"}], []))
    build_all(own_database)
    answer = Reports(own_database, tenant=TENANT).ask("outliers", Question())
    rows = [row[:-1] for row in answer.rows]
    assert rows == [
        ("slow", None, "big", 2, 3, "b", 19, 21),
        ("unanswered", "bash", None, 1, 1, "a", 20, 20),
    ]


def test_a_thread_counts_with_each_of_its_labels(own_database: Database) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    judged = {"type": "thread.judged", "verdict": "fail"}
    for thread, labels, more in (("a", ["x", "y"], [judged]), ("b", ["x"], []), ("c", [], [])):
        facts = [started(policy="record"), {"type": "thread.labelled", "add": labels}, *more]
        writer.append(AppendRequest(TENANT, thread, [], facts))
    build_all(own_database)
    reports = Reports(own_database, tenant=TENANT)

    def counted(name: str, by: str, text: str = "") -> dict[Any, Any]:
        question = Question(by=(by,), where=filter_of(name, text))
        return {row[0]: row[1] for row in reports.ask(name, question).rows}

    for name in ("threads", "outcomes"):
        assert counted(name, "label") == {"x": 2, "y": 1, None: 1}
        assert counted(name, "label", "label:y") == {"y": 1}
        assert counted(name, "judged", "label:x or label:y") == {"failed": 1, None: 1}
        assert counted(name, "label", "judged:failed") == {"x": 1, "y": 1}


def test_a_cost_that_was_not_reported_is_computed_and_counted(own_database: Database) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    written = {"cacheWriteTokens": 400, "cacheWrite1hTokens": 100}  # gpt-4o has no rate for them
    usage = {"usage": {"inputTokens": 1000, "outputTokens": 100, **written}}
    for more in ({"costUsd": 0.5}, usage, {**usage, "model": "unheard-of"}, {}):
        writer.append(request("t", {"type": "llm_response", "model": "gpt-4o", **more}))
    build_all(own_database)
    for name in ("usage", "threads"):
        answer = Reports(own_database, tenant=TENANT).ask(name, Question(by=()))
        names = [column.name for column in answer.columns]
        (row,) = [dict(zip(names, row, strict=True)) for row in answer.rows]
        assert (row["cost_usd"], row["computed_calls"], row["unpriced_calls"]) == (0.5035, 1, 2)
        assert row.get("prices", "genai-prices 1").startswith("genai-prices ")
        assert (row.get("cache_write_tokens", 800), row.get("cache_write_1h_tokens", 200)) == (
            800,
            200,
        )
    (summary,) = Summaries(own_database, tenant=TENANT).page(SummaryQuery()).items
    assert (summary.cost_usd, summary.computed_calls, summary.unpriced_calls) == (0.5035, 1, 2)


def test_threads_by_outcome(reports: Reports, filled: Database) -> None:
    answer = reports.ask("threads", Question())
    names = [column.name for column in answer.columns]
    (row,) = [dict(zip(names, row, strict=True)) for row in answer.rows]
    assert (row["outcome"], row["threads"]) == ("open", len({item.thread for item in ITEMS}))
    assert row["tool_calls"] == sum(item.kind == "tool" for item in ITEMS)
    failed = [item.kind for item in ITEMS if item.failed and item.kind != "approval"]
    assert (row["failures"], row["told"]) == (len(failed), 0)
    last = {item.thread: item for item in ITEMS}
    first = {item.thread: item for item in reversed(ITEMS)}
    ends = {t: max(i.at + (i.took or 0) for i in ITEMS if i.thread == t) for t in last}
    durations = [ends[thread] - first[thread].at for thread in last]
    spans = [row["duration_p50"], row["duration_p95"], row["duration_p99"]]
    assert spans == percentiles(durations)
    ((messages,),) = fetch(
        filled,
        "SELECT count(*) FROM agentlog.events WHERE tenant = %s AND type NOT LIKE 'thread.%%'",
        TENANT,
    )
    assert row["messages"] == messages


def test_another_tenant_never_shows(filled: Database) -> None:
    others = some_items(2)
    reports = Reports(filled, tenant="others")
    for name in STRAIGHT:
        for by in (("day",), ("metadata.team", "thread")):
            answer = reports.ask(name, Question(by=by, clock="sent"))
            assert rows_of(answer) == straight(name, by, others)
    for name in REPORTS:
        question = Question(by=None if REPORTS[name].by is None else [])
        rows = Reports(filled, tenant="nobody").ask(name, question).rows
        assert all(not any(row) for row in rows), name


def test_an_empty_log_has_empty_reports(own_database: Database) -> None:
    build_all(own_database)
    reports = Reports(own_database, tenant=TENANT)
    for name, report in REPORTS.items():
        answer = reports.ask(name, Question())
        assert (answer.rows, answer.as_of, answer.truncated) == ([], 0, False)
        if report.by is not None and name != "anomalies":
            (row,) = reports.ask(name, Question(by=[])).rows
            assert not any(row)


def test_what_is_not_built_is_said(own_database: Database) -> None:
    reports = Reports(own_database, tenant=TENANT)
    with pytest.raises(NotYetBuilt, match="tool_calls is not built yet"):
        reports.ask("tools", Question())
    assert reports.ask("anomalies", Question()).rows == []


def test_a_report_counts_up_to_where_its_read_model_is(own_database: Database) -> None:
    append_items(own_database, ITEMS[:6])
    build_all(own_database)
    before = last_position(own_database)
    append_items(own_database, [item for item in ITEMS if item.thread == "run-7"])
    reports = Reports(own_database, tenant=TENANT)
    answer = reports.ask("tools", Question(by=[]))
    assert answer.as_of == before
    assert answer.rows[0][0] == sum(item.kind == "tool" for item in ITEMS[:6])
    build_all(own_database, "tool_calls")
    assert reports.ask("tools", Question(by=[])).as_of == last_position(own_database)
    assert reports.ask("usage", Question(by=[])).as_of == before
    assert reports.ask("anomalies", Question(by=[])).as_of == last_position(own_database)


def test_a_rebuild_that_goes_live_is_read_at_once(own_database: Database) -> None:
    append_items(own_database, ITEMS[:6])
    build_all(own_database)
    reports = Reports(own_database, tenant=TENANT)
    before = reports.ask("tools", Question()).rows
    with own_database.connect() as connection:
        builds.begin(connection, READ_MODELS["tool_calls"])
    build_all(own_database, "tool_calls")
    with own_database.connect() as connection:
        live = [build.build for build in builds.builds(connection) if build.name == "tool_calls"]
    assert live == [2]
    assert reports.ask("tools", Question()).rows == before


def test_a_table_that_a_rebuild_took_away_is_looked_up_again(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_items(own_database, ITEMS[:6])
    build_all(own_database, "tool_calls")
    reports = Reports(own_database, tenant=TENANT)
    before = reports.ask("tools", Question())
    model = READ_MODELS["tool_calls"]
    rebuilt, table = Projection(model, 2), BuildTable[Any](model.table, 2)
    with own_database.connect() as connection:
        builds.begin(connection, model)
        while not table.is_indexed(connection):  # which waits for reports that have begun
            rebuilt.step(connection)
    looked_up, tables = live_tables, []

    def and_gone_at_once(*given: Any) -> Any:
        tables.append(looked_up(*given))
        if len(tables) == 1:
            build_all(own_database, "tool_calls")
        return tables[-1]

    monkeypatch.setattr(reports_module, "live_tables", and_gone_at_once)
    assert reports.ask("tools", Question()) == before
    assert [table.as_string().strip('"')[-1] for (table,), _ in tables] == ["1", "2"]


def test_a_table_of_a_version_before_is_said_to_be_rebuilt(own_database: Database) -> None:
    build_all(own_database, "tool_calls")
    with own_database.connect() as connection:
        connection.execute("DROP VIEW agentlog_analytics.tool_calls")
        connection.execute(
            "ALTER TABLE agentlog_readmodels.tool_calls_1 RENAME latency_ms TO latency"
        )
    with pytest.raises(NotYetBuilt):
        Reports(own_database, tenant=TENANT).ask("tools", Question())


def test_a_report_that_takes_too_long_is_broken_off(
    filled: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentlog.infrastructure.reports.reports.SECONDS", 0.01)
    slow = replace(REPORTS["tools"], statement="SELECT 1 AS calls, pg_sleep(100)")
    monkeypatch.setattr(reports_module, "report_named", lambda _: slow)
    with pytest.raises(ReportTooLong, match="narrow it"):
        Reports(filled, tenant=TENANT).ask("tools", Question(by=[]))
    with filled.connection() as connection:  # and only the report was
        assert connection.execute("SHOW statement_timeout").fetchone() == ("1min",)


def test_times_of_the_log_count_unless_it_is_said_otherwise(own_database: Database) -> None:
    append_items(own_database, ITEMS)
    build_all(own_database, "tool_calls")
    own_database_rows = "UPDATE agentlog_readmodels.tool_calls_1 SET recorded_at = %s, "
    with own_database.connection() as connection:
        connection.execute(
            own_database_rows
            + "called_sent_at = NULL, answered_sent_at = NULL WHERE thread_id = 'run-1'",
            (datetime(2025, 12, 31, 23, 59, 59, 999999, UTC),),
        )
    reports = Reports(own_database, tenant=TENANT)
    calls_of_run = sum(item.kind == "tool" and item.thread == "run-1" for item in ITEMS)
    answer = reports.ask("tools", Question(by=["day"], end=datetime(2026, 1, 1, tzinfo=UTC)))
    assert [(row[0], row[1]) for row in answer.rows] == [("2025-12-31", calls_of_run)]
    answer = reports.ask("tools", Question(by=["day"], clock="sent"))
    assert answer.rows[-1][:2] == (None, calls_of_run)  # on no day
    assert answer.untimed == calls_of_run
    answer = reports.ask(
        "tools", Question(by=[], clock="sent", begin=datetime(1970, 1, 1, tzinfo=UTC))
    )
    everything = sum(item.kind == "tool" for item in ITEMS)
    assert answer.rows[0][0] == everything - calls_of_run


def test_anomalies_are_counted_where_they_are(own_database: Database) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    facts = [started(policy="record", metadata={"team": "red"})]
    writer.append(request("odd", results("x"), results("y"), facts=facts))
    writer.append(request("odder", results("x"), results("y"), results("z"), facts=facts))
    writer.append(request("fine", calls("a"), results("a"), facts=facts))
    reports = Reports(own_database, tenant=TENANT)
    answer = reports.ask("anomalies", Question())
    assert [row[:2] for row in answer.rows] == [("odder", 3), ("odd", 2)]
    assert answer.rows[0][-1] == "/v1/threads/odder/views/anomalies"
    (row,) = reports.ask("anomalies", Question(by=["metadata.team"])).rows
    assert row == ("red", 5, 2, 3, 2 / 3, "odder", "/v1/threads/odder/views/anomalies")


def test_odd_content_is_reported_as_it_is(own_database: Database) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    tool = "to\x00ol 'x'; -- \u202e\U0001f600"
    key = "ke\x00y, '\"%s{}"
    facts = [started(policy="record", metadata={key: "va\x00lue", "n": 1e20, "z": None})]
    drafts = [
        {"type": "tool_calls", "calls": [{"id": "1", "name": tool}]},
        *(
            {"type": "llm_response", "costUsd": 1e308, "usage": {"totalTokens": 2**63 - 1}}
            for _ in range(3)
        ),
        {"type": "llm_response", "costUsd": 0.1},
        {"type": "llm_response", "costUsd": 0.2},
    ]
    writer.append(AppendRequest(TENANT, "odd", drafts, facts))
    build_all(own_database)
    reports = Reports(own_database, tenant=TENANT)
    kept = tool.replace("\x00", "\ufffd")
    question = Question(by=["tool", f"metadata.{key}", "metadata.n", "metadata.z"])
    (row,) = reports.ask("tools", question).rows
    assert row[:4] == (kept, "va\ufffdlue", 10**20, None)
    narrowed = Question(
        where=And(
            (
                Term("tool", ":", tool),
                Term("metadata", ":", "va\x00lue", key=key),
                Term("metadata", ":", 10**20, key="n"),
            )
        )
    )
    assert reports.ask("tools", narrowed).rows[0][0] == kept
    (row,) = reports.ask("usage", Question(by=[])).rows
    assert row[5] == 3 * (2**63 - 1)
    assert str(row[6]) == "0.3"  # of what is beyond any price there is no sum


BAD = {
    "a breakdown": Question(by=["colour"]),
    "an empty key": Question(by=["metadata."]),
    "the same twice": Question(by=["day", "day"]),
    "too many": Question(by=["day", "hour", "week", "month", "tool"]),
    "an order": Question(order="-colour"),
    "no limit": Question(limit=0),
    "a large limit": Question(limit=10_001),
    "no time": Question(
        begin=datetime(2026, 1, 2, tzinfo=UTC), end=datetime(2026, 1, 2, tzinfo=UTC)
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_what_a_report_cannot_be_asked_is_refused(reports: Reports, what: str) -> None:
    with pytest.raises(InvalidQuestion):
        reports.ask("tools", BAD[what])


def test_refusals_name_what_there_is(reports: Reports) -> None:
    with pytest.raises(
        InvalidQuestion,
        match="it has tool, action, command, error_class, outcome, model, hour, day",
    ):
        reports.ask("tools", Question(by=["colour"]))
    with pytest.raises(InvalidQuestion, match="lists single rows"):
        reports.ask("slowest", Question(by=["day"]))
    with pytest.raises(InvalidQuestion, match="clock: report anomalies has no 'sent'"):
        reports.ask("anomalies", Question(clock="sent"))
    with pytest.raises(UnknownReport, match="there are models, usage, failures"):
        reports.ask("weather", Question())


@pytest.mark.parametrize("name", REPORTS)
def test_every_column_orders_both_ways_and_limits_cut(reports: Reports, name: str) -> None:
    report = REPORTS[name]
    by = None if report.by is None else ["thread"]
    whole = reports.ask(name, Question(by=by, limit=1000)).rows
    for place, column in enumerate(report.columns, 0 if by is None else 1):
        for sign in ("", "-"):
            rows = reports.ask(name, Question(by=by, order=f"{sign}{column.name}")).rows
            values: list[Any] = [row[place] for row in rows if row[place] is not None]
            assert values == sorted(values, reverse=bool(sign))
            assert [row[place] for row in rows[: len(values)]] == values  # nulls are last
    cut = reports.ask(name, Question(by=by, limit=2))
    assert cut.rows == whole[:2]
    assert cut.truncated == (len(whole) > 2)


def test_calls_of_tools_are_told_apart_by_the_model_that_asked_for_them(
    own_database: Database,
) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    for number, (model, failed) in enumerate([("small", True), ("large", False), ("small", False)]):
        of_response = {"metadata": {"responseId": f"r{number}"}}
        error = {"error": "no"} if failed else {}
        call = {"callId": f"c{number}", "output": None, **error}
        writer.append(
            request(
                "t",
                {"type": "llm_response", "model": model, **of_response},
                calls(f"c{number}", **of_response),
                {"type": "tool_results", "results": [call]},
            )
        )
    writer.append(request("t", calls("nobody's"), results("nobody's")))
    build_all(own_database)
    reports = Reports(own_database, tenant=TENANT)
    answer = reports.ask("tools", Question(by=("model",), order="-calls"))
    assert [row[:4] for row in answer.rows] == [
        ("small", 2, 2, 1),
        ("large", 1, 1, 0),
        (None, 1, 1, 0),
    ]
    narrowed = reports.ask("failures", Question(where=filter_of("failures", "model:small")))
    assert [(row[0], row[2]) for row in narrowed.rows] == [("f", 1)]
    assert reports.ask("failures", Question(where=filter_of("failures", "model:large"))).rows == []
    slowest = reports.ask("slowest", Question(where=filter_of("slowest", "model:large")))
    assert slowest.as_of == last_position(own_database)
