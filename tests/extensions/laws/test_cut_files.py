"""Each file cut after every line, read twice and in two orders, has the figures of the whole.

The files are those of every format, of lines or with a list that grows; the judge is the whole file
read once, into a thread of its own.
"""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.model_calls import ModelCalls
from tests.infrastructure.transfer.importing import run
from tests.projections.readers.test_golden_readers import GROWING, SOURCES
from tests.projections.readmodels.folding import rows_of

NUMBERS = count()
_RUNS_APART = {"langfuse", "langsmith", "otlp"}
"""Their lines are spans or runs, whose threads are found by what they name."""
GROWN = [
    path
    for path in SOURCES
    if path.suffix in {".jsonl", ".json"} and path.parent.name not in _RUNS_APART
]


def pieces(path: Path) -> Iterator[str]:
    """Yield a file as it was after every line, or item of its list, the whole last."""
    text = path.read_text()
    if path.suffix == ".jsonl":
        lines = text.splitlines(keepends=True)
        yield from ("".join(lines[:end]) for end in range(1, len(lines) + 1))
        return
    value = json.loads(text)
    key = next((key for key in GROWING if isinstance(value, dict) and key in value), None)
    items = value if key is None else value[key]
    for end in range(1, len(items) + 1) if isinstance(items, list) else ():
        yield json.dumps(items[:end] if key is None else {**value, key: items[:end]})


def figures(threads: Threads, folder: Path, path: Path, texts: list[str]) -> Any:
    """Return calls, tokens and cost of the threads of some readings; None where one is refused."""
    number, names = next(NUMBERS), set[str]()
    for text in texts:
        file = folder / path.name
        file.write_text(text)
        report = run(threads, file, wire=None, thread_id=f"t{number}-{{record}}")
        if report.failures:
            return None
        names |= report.thread_ids
    calls = [call for name in names for call in rows_of(ModelCalls(), [*threads.messages(name)])]
    columns = ("input_tokens", "output_tokens", "cost_usd")
    sums = [round(sum(getattr(call, column) or 0 for call in calls), 9) for column in columns]
    return len(calls), *sums


@pytest.mark.parametrize("path", GROWN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_cut_file_comes_to_the_figures_of_the_whole(
    threads: Threads, tmp_path: Path, path: Path
) -> None:
    *cuts, whole = [*pieces(path)] or [path.read_text()]
    judged = figures(threads, tmp_path, path, [whole])
    assert judged is not None
    step = max(len(cuts) // 6, 1)
    for cut in cuts[::step]:
        for order in ([cut, whole, whole], [whole, cut, whole]):
            told = figures(threads, tmp_path, path, order)
            assert told in (judged, None)
