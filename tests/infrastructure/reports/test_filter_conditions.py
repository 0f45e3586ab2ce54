"""Filters of lists in SQL against the same filters in plain Python; rules of success likewise."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import given

from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.definitions.rules import Rules
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.reports.summaries import Summaries, SummaryQuery
from agentlog.infrastructure.reports.summary import ThreadSummary
from agentlog.projections.filters.expression import Expression, Term, compare, evaluate
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.filters.success import verdict_of
from agentlog.projections.filters.terms import PATH, WORDS, terms_of
from tests.databases import new_database
from tests.histories import examples
from tests.infrastructure.appends import TENANT, Clock, Ids, started
from tests.infrastructure.reports.histories import build_all
from tests.projections.filters.drawn import expressions


def call(name: str, number: int, **args: Any) -> dict[str, Any]:
    return {"type": "tool_calls", "calls": [{"id": f"c{number}", "name": name, "args": args}]}


def score(value: JsonValue) -> dict[str, Any]:
    return {"type": "inspect.score", "payload": {"score": {"value": value}}}


EXIT = {"type": "exit", "reason": "complete"}
METADATA: Mapping[str, dict[str, Any]] = {
    "a-1": {"reward": 1.0, "team": "red", "ok": True, "failed": "x*"},
    "a-2": {"reward": 0, "team": "blue", "a b": "null", "5": 5},
    "b-1": {"reward": 0.5, "team": "", "n": 10**14},
    "b-2": {},
}
HISTORIES: Mapping[str, list[dict[str, Any]]] = {
    "a-1": [call("bash", n, command="git status") for n in range(4)],
    "a-2": [call("book", 1, amount=5), score("I"), score("C"), EXIT],
    "b-1": [score({"a": 1}), {"type": "exit", "reason": "error"}],
    "b-2": [{"type": "approval_request", "callId": "x", "tool": "mail"}, score("q\x00")],
}
REMARKS: Mapping[str, list[dict[str, Any]]] = {
    "a-1": [
        {"type": "thread.labelled", "add": ["flaky", "5", "x*\x00"]},
        {"type": "thread.judged", "verdict": "pass", "score": 0.5},
    ],
    "b-2": [
        {"type": "thread.labelled", "add": ["a b"]},
        {"type": "thread.judged", "verdict": "failed", "criterion": "policy"},
        {"type": "thread.judged", "score": 0.2, "criterion": "or"},
    ],
}


@pytest.fixture(scope="module")
def told(server_url: str, template_database: str) -> Iterator[Database]:
    """A database with these threads; for reading only."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=2) as database,
    ):
        writer = Writer(database, clock=Clock(), new_id=Ids())
        for thread, history in HISTORIES.items():
            start = started(policy="record", goal=f"Find it {thread}", metadata=METADATA[thread])
            facts = [start, *REMARKS.get(thread, [])]
            writer.append(AppendRequest(TENANT, thread, history, facts))
        build_all(database)
        yield database


def filtered(database: Database, text: str) -> set[str]:
    query = SummaryQuery(where=parse_filter(text, "list"))
    return {row.thread_id for row in Summaries(database, tenant=TENANT).page(query).items}


@pytest.mark.parametrize(
    ("text", "threads"),
    [
        ("", {"a-1", "a-2", "b-1", "b-2"}),
        ("failed", {"a-2"}),
        ("-failed -succeeded", {"b-1", "b-2"}),
        ("loops>0", {"a-1"}),
        ("rule:repeated*", {"a-1"}),
        ("tool:git", {"a-1"}),
        ("tool:bash or tool:boo*", {"a-1", "a-2"}),
        ("pending", {"b-2"}),
        ("metadata.reward<1", {"a-2", "b-1"}),
        ("metadata.reward:1 metadata.team:red", {"a-1"}),
        ("-metadata.reward:1", {"a-2", "b-1", "b-2"}),
        ('metadata."a b":"null"', {"a-2"}),
        ("metadata.team:null", {"b-2"}),
        ("calls>=1 -exit:complete", {"a-1"}),
        ("find b", {"b-1", "b-2"}),
        ('"it b-1"', {"b-1"}),
        ("thread:a*", {"a-1", "a-2"}),
        ("score>=0.5", {"a-1", "b-1"}),
        ("label:flaky or label:a*", {"a-1", "b-2"}),
        ("has:error", {"b-1"}),
        ("failures>0", {"b-1"}),
        ("errors>0", {"b-1"}),
        ("told", set()),
        ("suspected", {"a-1", "a-2"}),
        ("a-", {"a-1", "a-2"}),
        ("metadata.n:100000000000000", {"b-1"}),
        ("-label:flaky", {"a-2", "b-1", "b-2"}),
        ("judged:pass judged:succeeded", {"a-1"}),
        ("judged:failed", {"b-2"}),
        ("judged:policy:failed judged:or:*", {"b-2"}),
    ],
)
def test_a_filter_finds_its_threads(told: Database, text: str, threads: set[str]) -> None:
    assert filtered(told, text) == threads


def _holds(row: ThreadSummary, term: Term) -> bool:
    figures: Mapping[str, JsonValue] = {
        "took": row.duration_ms,
        "tokens": row.total_tokens,
        "cost": row.cost_usd,
        "score": row.score,
        "steps": row.steps,
        "calls": row.tool_calls,
        "failures": row.failures,
        "errors": row.failures + row.told,
        "loops": row.loops,
        "anomalies": row.anomalies,
        "thread": row.thread_id,
        "parent": row.parent,
        "status": row.status,
        "exit": row.outcome,
    }
    flags = {
        "failed": row.verdict == "failed",
        "succeeded": row.verdict == "succeeded",
        "pending": row.approvals_pending > 0,
        "open": row.status == "open",
        "told": row.told > 0,
        "suspected": row.suspected > 0,
    }
    match term.name:
        case "metadata":
            return compare(term, row.metadata.get((term.key or "").replace("\x00", "\ufffd")))
        case "has":
            return row.failures + row.told > 0
        case "label":
            return any(compare(term, label) for label in row.labels)
        case "judged":
            names: list[JsonValue] = [row.judged]
            for given in row.judgements:
                criterion, verdict = given["criterion"], given["verdict"]
                names += [verdict, None if criterion is None else f"{criterion}:{verdict or ''}"]
            return any(name is not None and compare(term, name) for name in names)
        case "rule":
            return any(compare(term, mark["rule"]) for mark in row.marks)
        case "tool":
            commands = [mark["command"] for mark in row.marks if mark["tool"] == "bash"]
            return any(compare(term, name) for name in [*row.tools, *commands])
        case name if name in flags:
            return flags[name]
        case name:
            return figures[name] is not None and compare(term, figures[name])


@given(expression=expressions(sorted(terms_of("list").keys() - {WORDS})))
@examples(60, long=600)
def test_a_filter_means_the_same_in_sql(told: Database, expression: Expression) -> None:
    summaries = Summaries(told, tenant=TENANT)
    rows = summaries.page(SummaryQuery()).items
    expected = {row.thread_id for row in rows if evaluate(expression, partial(_holds, row))}
    page = summaries.page(SummaryQuery(where=expression))
    assert {row.thread_id for row in page.items} == expected


@pytest.mark.parametrize(
    ("rule", "verdicts"),
    [
        ("metadata.reward>=1", ["succeeded", "failed", "failed", None]),
        ("metadata.reward>=1 or exit:complete", ["succeeded", "succeeded", "failed", None]),
        ("inspect.score$.payload.score.value:C", ["succeeded", "succeeded", None, "failed"]),
        ("-exit:error", ["succeeded", "succeeded", "failed", None]),
        ("metadata.failed:x*", ["succeeded", None, None, None]),
    ],
)
def test_a_rule_decides_each_verdict_but_of_the_thread_that_was_judged(
    told: Database, rule: str, verdicts: list[str | None]
) -> None:
    rules = Rules(success=parse_filter(rule, "success"))
    summaries = Summaries(told, tenant=TENANT, rules=lambda: rules)
    page = summaries.page(SummaryQuery(sort="thread_id", descending=False))
    assert [row.verdict for row in page.items] == verdicts


@given(rule=expressions(sorted(terms_of("success")), "success"))
@examples(60, long=600)
def test_a_rule_means_the_same_in_sql(told: Database, rule: Expression) -> None:
    rules = Rules(success=rule)
    for row in Summaries(told, tenant=TENANT, rules=lambda: rules).page(SummaryQuery()).items:
        messages = HISTORIES[row.thread_id]

        def last(kind: str, messages: list[dict[str, Any]] = messages) -> JsonValue:
            return next((m for m in reversed(messages) if m["type"] == kind), None)

        verdict = verdict_of(rule, METADATA[row.thread_id], row.outcome, last)
        assert (row.verdict or "unknown") == (row.judged or verdict)


def test_a_path_within_messages_is_no_term_of_a_list() -> None:
    assert PATH not in terms_of("list")
