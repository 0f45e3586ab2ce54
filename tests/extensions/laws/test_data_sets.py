"""A table for each set of real runs: our figures beside those that a script counts in its files.

AGENTLOG_TEST_DATA names the folder of the sets; without it there is nothing to compare. The script
reads JSON alone and knows no reader. `pytest -s` prints the table. What a source does not state (no
set has tokens, costs or times of calls) has to be null here, not 0.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.reports.question import Question
from agentlog.infrastructure.reports.reports import Reports
from tests.api.conftest import threads_over
from tests.infrastructure.appends import TENANT
from tests.infrastructure.reports.histories import build_all
from tests.infrastructure.transfer.importing import run

DATA = Path(os.environ.get("AGENTLOG_TEST_DATA", "nowhere"))
Record = dict[str, Any]


class Set(NamedTuple):
    """Files of a set, where the messages of a record are, and what a record states of itself."""

    files: str
    messages: str
    metadata: Mapping[str, str] = {}


REWARD = {"reward": "{reward}"}
SETS = {
    "tau-bench airline": Set("tau-bench-gpt-4o-airline.json", "traj", REWARD),
    "tau-bench retail": Set("agentrx/tau-retail-runs.json", "traj", REWARD),
    "Who&When, by hand": Set("whowhen/*.json", "history"),
}


def records_of(data: Set) -> Iterator[Record]:
    """Yield the records of a set."""
    for file in sorted(DATA.glob(data.files)):
        value = json.loads(file.read_bytes())
        yield from value if isinstance(value, list) else [value]


def source_figures(data: Set) -> dict[str, Any]:
    """Return what the files say: counted in their JSON."""
    records = [*records_of(data)]
    items = [item for record in records for item in record[data.messages]]
    results = [item["content"] for item in items if item["role"] == "tool"]
    judged = [record["reward"] for record in records if "reward" in record]
    return {
        "runs": len(records),
        "runs that failed": sum(reward < 1 for reward in judged) if judged else None,
        "tool calls": sum(len(item.get("tool_calls") or ()) for item in items),
        "results that tell of an error": sum(text.startswith("Error") for text in results),
        **dict.fromkeys(("input tokens", "output tokens", "cost in $", "calls on a day")),
    }


def our_figures(database: Database) -> dict[str, Any]:
    """Return the same of reports."""
    reports = Reports(database, tenant=TENANT)

    def ask(name: str, **question: Any) -> dict[str, Any]:
        answer = reports.ask(name, Question(by=[], **question))
        (row,) = answer.rows
        return dict(zip([column.name for column in answer.columns], row, strict=True))

    threads, outcomes, usage = ask("threads"), ask("outcomes"), ask("usage", clock="sent")
    known = outcomes["succeeded"] + outcomes["failed"]
    return {
        "runs": threads["threads"],
        "runs that failed": outcomes["failed"] if known else None,
        "tool calls": threads["tool_calls"],
        "results that tell of an error": threads["told"],
        "input tokens": usage["input_tokens"],
        "output tokens": usage["output_tokens"],
        "cost in $": usage["cost_usd"],
        "calls on a day": usage["calls"] or None,
    }


@pytest.mark.skipif(not DATA.exists(), reason="AGENTLOG_TEST_DATA names no folder")
@pytest.mark.parametrize("name", SETS)
def test_figures_of_a_set_are_those_of_its_files(own_database: Database, name: str) -> None:
    data, threads = SETS[name], threads_over(own_database)
    files = sorted(DATA.glob(data.files))
    options: Any = {"metadata": data.metadata} if data.metadata else {}
    place, thread = f"$.{data.messages}", "r-{stem}-{record}"
    report = run(threads, *files, wire="openai", messages=place, thread_id=thread, **options)
    assert report.failures == []
    build_all(own_database)
    theirs, ours = source_figures(data), our_figures(own_database)
    for figure, value in theirs.items():
        print(f"{name:20} {figure:32} {value!s:>10} {ours[figure]!s:>10}")  # noqa: T201 - the table
    assert ours == theirs
