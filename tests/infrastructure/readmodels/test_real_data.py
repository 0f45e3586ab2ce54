"""Tables over real histories: each figure is what a straight count over the source file gives."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.airline import Run, airline_file, airline_runs
from tests.command_line import agentlog
from tests.databases import new_database
from tests.infrastructure.readmodels.tables import catch_up, seen


@pytest.fixture(scope="module")
def runs() -> Sequence[Run]:
    return airline_runs()


@pytest.fixture(scope="module")
def tables_url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with all histories, and their read models."""
    with new_database(server_url, template=template_database) as url:
        choices = ("--format", "openai", "--messages", "$.traj", "--metadata", "reward={reward}")
        names = ("--thread-id", "airline-{task_id}-{trial}")
        outcome = agentlog("import", *choices, *names, airline_file(), url=url)
        assert outcome.code == 0, outcome.err
        with Database(url, pool_size=2) as database:
            for model in READ_MODELS.values():
                catch_up(database, model, most_events=1500)
        yield url


def _ask(url: str, query: str) -> list[tuple[Any, ...]]:
    return seen(url, query, tenant="default")


def _steps(runs: Sequence[Run], role: str) -> Iterator[Run]:
    return (step for run in runs for step in run["traj"] if step["role"] == role)


def _called(step: Run) -> list[str]:
    return [call["function"]["name"] for call in step.get("tool_calls") or []]


def test_messages_by_type(tables_url: str, runs: Sequence[Run]) -> None:
    said = list(_steps(runs, "assistant"))
    expected = {
        "thread.started": len(runs),
        "system": sum(1 for _ in _steps(runs, "system")),
        "input": sum(1 for _ in _steps(runs, "user")),
        "reply": sum(step["content"] is not None for step in said),
        "tool_calls": sum(bool(_called(step)) for step in said),
        "tool_results": sum(1 for _ in _steps(runs, "tool")),
        "openai.record": len(runs),  # what the source says beside the messages
    }
    counts = _ask(
        tables_url, "SELECT type, count(*) FROM agentlog_analytics.messages GROUP BY type"
    )
    assert dict(counts) == expected


def test_which_tools_are_called_and_fail_most_and_how_often(
    tables_url: str, runs: Sequence[Run]
) -> None:
    called = Counter(name for step in _steps(runs, "assistant") for name in _called(step))
    failures: Counter[str] = Counter()
    for run in runs:
        names: dict[str, list[str]] = {}
        for step in run["traj"]:
            for call in step.get("tool_calls") or []:
                names.setdefault(call["id"], []).append(call["function"]["name"])
            if step["role"] == "tool":
                name = names[step["tool_call_id"]].pop(0)
                failures[name] += step["content"].startswith("Error:")
    assert len(failures) > 1
    rows = _ask(
        tables_url,
        "SELECT tool, count(*), count(*) FILTER (WHERE outcome = 'told') "
        "FROM agentlog_analytics.tool_calls GROUP BY tool ORDER BY 3 DESC, 1",
    )
    assert rows == sorted(
        ((name, count, failures[name]) for name, count in called.items()),
        key=lambda row: (-row[2], row[0]),
    )


def test_what_each_thread_comes_to(tables_url: str, runs: Sequence[Run]) -> None:
    expected = {}
    for run in runs:
        roles = Counter(step["role"] for step in run["traj"])
        said = [step for step in run["traj"] if step["role"] == "assistant"]
        calls = [name for step in said for name in _called(step)]
        told = [step["content"] for step in run["traj"] if step["role"] == "tool"]
        expected[f"airline-{run['task_id']}-{run['trial']}"] = (
            sum(roles[role] for role in ("user", "assistant", "tool")),
            roles["user"],
            sum(step["content"] is not None for step in said),
            len(calls),
            None,  # no field states an outcome
            sum(text.startswith("Error:") for text in told),
            run["reward"],
        )
    rows = _ask(
        tables_url,
        "SELECT thread_id, steps, inputs, replies, tool_calls, tool_failures, told, "
        "(metadata::jsonb ->> 'reward')::float FROM agentlog_analytics.threads "
        "JOIN agentlog_analytics.suspicions USING (tenant, thread_id)",
    )
    assert {row[0]: row[1:] for row in rows} == expected


def test_every_thread_is_open_under_policy_record(tables_url: str, runs: Sequence[Run]) -> None:
    rows = _ask(
        tables_url,
        "SELECT policy, status, outcome, count(*) FROM agentlog_analytics.threads "
        "GROUP BY policy, status, outcome",
    )
    assert rows == [("record", "open", None, len(runs))]


def test_what_the_source_does_not_tell_is_missing_and_not_nought(
    tables_url: str, runs: Sequence[Run]
) -> None:
    rows = _ask(
        tables_url,
        "SELECT count(*), count(duration_ms), count(input_tokens), count(output_tokens), "
        "count(total_tokens), count(cost_usd) FROM agentlog_analytics.threads",
    )
    assert rows == [(len(runs), 0, 0, 0, 0, 0)]
    ((calls, latencies),) = _ask(
        tables_url, "SELECT count(*), count(latency_ms) FROM agentlog_analytics.tool_calls"
    )
    assert calls > 1000
    assert latencies == 0
    for name in ("model_calls", "approvals", "workers"):
        assert _ask(tables_url, f"SELECT * FROM agentlog_analytics.{name}") == []  # noqa: S608 - ours
