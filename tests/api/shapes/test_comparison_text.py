"""Comparisons for a terminal: the first difference on top, equal runs folded, changes signed."""

from typing import Any

from agentlog.api.shapes.lines.comparison import compared_lines, run_sets_lines
from agentlog.infrastructure.comparison.comparer import Comparer, parse_side
from agentlog.infrastructure.comparison.run_sets import SetsAsked, TaskComparer
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from agentlog.projections.filters.expression import Term
from agentlog.projections.registry import choose_view
from tests.infrastructure.appends import reply

KERNEL = choose_view("kernel")


def _search(to: str) -> dict[str, Any]:
    call = {"id": "c", "name": "search\x9b", "args": {"to": to}}
    return {"type": "tool_calls", "calls": [call]}


def test_a_comparison_begins_with_the_first_difference(threads: Threads, views: Views) -> None:
    said = [reply(f"word {n}") for n in range(6)]
    threads.append("a", [*said, _search("BER"), reply("done")])
    threads.append("b", [*said, _search("MUC"), reply("\x1b[2Jso\nit goes"), reply("done")])
    comparer = Comparer(views)
    compared = comparer.compare([parse_side("a"), parse_side("b"), parse_side("a")], KERNEL)
    assert list(compared_lines(compared)) == [
        "a  a at version 8, 8 items",
        "b  b at version 9, 9 items",
        "first difference after 6 equal items: a goes on at 7.0, b goes on at 7.0",
        "7 equal, 1 changed, 0 only in a, 1 only in b",
        "",
        "  … 5 equal …",
        "  6.0  reply word 5",
        '- 7.0  tool_calls search\ufffd {"to":"BER"}',
        '+ 7.0  tool_calls search\ufffd {"to":"MUC"}',
        "+ 8.0  reply \ufffd[2Jso it goes",
        "  8.0  reply done",
        "",
        "a  a at version 8, 8 items",
        "b  a at version 8, 8 items",
        "no difference in 8 items",
    ]


def test_sets_say_where_runs_part_and_which_way_failed(threads: Threads, views: Views) -> None:
    for number, (to, reward) in enumerate([("BER", 1), ("MUC", 0), ("BER", 1)]):
        threads.start(f"run-{number}", {"metadata": {"task": 7, "reward": reward}})
        threads.append(f"run-{number}", [_search(to)])
    threads.append("other", [reply("no task")])
    asked = SetsAsked(
        ThreadFilter(), KERNEL, by="task", failed=Term("metadata", ":", 0, key="reward")
    )
    compared = TaskComparer(views).compare(asked)
    assert list(run_sets_lines(compared)) == [
        "task 7: 3 runs (1 failed, 2 succeeded)",
        "  after 0 equal items",
        '    2 runs (2 succeeded): tool_calls search\ufffd {"to":"BER"}',
        "      run-0, run-2",
        '    1 run (1 failed): tool_calls search\ufffd {"to":"MUC"}',
        "      run-1",
        "threads without metadata.task: 1",
    ]
