"""The command `export finetune`: which threads give examples, and which not."""

from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.text import print_text
from agentlog.infrastructure.postgres.database import Database
from tests.command_line import agentlog, as_words
from tests.projections.chat_api import check_types, why_unsafe

EXAMPLES = Path(__file__).parents[4] / "examples"


@pytest.fixture
def url(own_database: Database, database_url: str) -> str:
    """A log with the examples in it."""
    del own_database
    assert agentlog("import", EXAMPLES, url=database_url).code == 0
    return database_url


def test_finetune_is_of_finished_threads(url: str) -> None:
    outcome = agentlog("export", "finetune", url=url)
    assert outcome.code == 0
    heads = agentlog("threads", "--json", url=url).lines
    still_open = [head for head in heads if head["status"] == "open"]
    assert still_open
    told, *reasons = outcome.err.splitlines()
    left_out = sum(int(line.split(":")[0]) for line in reasons if line.startswith("  "))
    assert told == f"{len(outcome.lines)} examples, {left_out} threads left out"
    assert len(outcome.lines) + left_out == len(heads)
    assert f"  {len(still_open)}: still open: --open takes them" in reasons
    assert "OpenAI trains on no fewer than 10 examples" in outcome.err
    assert outcome.lines
    for line in outcome.lines:
        assert set(line) == {"messages"}
        assert why_unsafe(line["messages"]) is None
        for message in line["messages"]:
            check_types({key: value for key, value in message.items() if key != "weight"})


def test_finetune_takes_the_filters_of_threads(database_url: str) -> None:
    runs: list[dict[str, Any]] = [
        {
            "threadId": f"run-{number}",
            "metadata": {"reward": number % 2},
            "messages": [{"type": "input", "text": "hi"}, {"type": "reply", "text": str(number)}],
            **({"closed": {}} if number < 3 else {}),
        }
        for number in range(6)
    ]
    lines = "\n".join(str(run).replace("'", '"') for run in runs).encode()
    assert agentlog("import", "-", url=database_url, stdin=lines).code == 0

    def learnt(*options: str) -> set[str]:
        outcome = agentlog("export", "finetune", *options, url=database_url)
        assert outcome.code == 0, outcome.err
        return {line["messages"][-1]["content"] for line in outcome.lines}

    assert learnt() == {"0", "1", "2"}
    assert learnt("--filter", "metadata.reward:0") == {"0", "2"}
    assert learnt("--filter", "status:open metadata.reward:1") == {"3", "5"}
    assert learnt("--open", "--filter", "metadata.reward:1") == {"1", "3", "5"}
    assert learnt("run-5", "run-1") == {"1", "5"}


def test_finetuning_data_that_was_imported_keeps_its_tools(database_url: str) -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    line = {
        "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "lo"}],
        "tools": tools,
        "parallel_tool_calls": False,
    }
    given = ("--format", "openai", "--thread-id", "t")
    imported = agentlog("import", "-", *given, url=database_url, stdin=print_text(line).encode())
    assert imported.code == 0, imported.err
    outcome = agentlog("export", "finetune", "--open", url=database_url)
    assert outcome.lines == [line]
    assert outcome.err.startswith("1 examples, 0 threads left out")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--status", "open"], "write --filter 'status:open'"),
        (["t", "--filter", "x"], "name THREADS or filter them, not both"),
        (["t", "--open"], "name THREADS or filter them, not both"),
    ],
    ids=as_words,
)
def test_options_that_do_not_fit_are_refused(
    database_url: str, options: list[str], reason: str
) -> None:
    outcome = agentlog("export", "finetune", *options, url=database_url)
    assert outcome.code == 2
    assert reason in outcome.err
