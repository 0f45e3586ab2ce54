"""Sessions of Qwen Code: their figures, outcomes and sub-agents."""

from typing import Any

from agentlog.domain.json.text import parse
from agentlog.projections.readers.registry import recognise
from tests.projections.readers.of_format import of_type, read
from tests.test_golden import GOLDEN

FILE = GOLDEN / "readers/qwen-code/session.jsonl"
LINES: list[Any] = [parse(line) for line in FILE.read_bytes().splitlines()]


def test_lines_are_none_of_claude_code() -> None:
    for lines in (LINES, LINES[:1], LINES[1:3], LINES[4:6]):
        assert recognise(lines).name == "qwen-code"


def test_figures_are_those_of_each_answer() -> None:
    """As ccusage sums the lines up: 120 + 144 + 154, whose totals each line states."""
    answers = of_type(read("qwen-code", LINES), "llm_response")
    totals = [line["usageMetadata"]["totalTokenCount"] for line in LINES if "usageMetadata" in line]
    assert [it["usage"]["inputTokens"] + it["usage"]["outputTokens"] for it in answers] == totals


def test_thoughts_stand_beside_the_output_where_no_total_has_them_in_it() -> None:
    counts = {"promptTokenCount": 100, "candidatesTokenCount": 20, "thoughtsTokenCount": 5}
    line = {**LINES[1], "usageMetadata": counts}
    (answer,) = of_type(read("qwen-code", [line]), "llm_response")
    assert answer["usage"]["outputTokens"] == 25


def test_the_status_of_a_line_says_whether_its_call_failed() -> None:
    results = [it["results"][0] for it in of_type(read("qwen-code", LINES), "tool_results")]
    assert [it["error"] for it in results] == [None, "File not found"]
    cancelled = {**LINES[2], "toolCallResult": {"callId": "call_1", "status": "cancelled"}}
    (result,) = of_type(read("qwen-code", [cancelled]), "tool_results")
    assert result["results"][0]["error"] == "7,2026-04-20"


def test_a_sub_agents_file_is_a_thread_of_its_own() -> None:
    session = LINES[0]["sessionId"]
    lines = [{**line, "agentId": "explore-7f3c", "isSidechain": True} for line in LINES[:3]]
    history = read("qwen-code", lines)
    assert (history.id, history.parent) == (f"{session}:explore-7f3c", session)
    assert not history.unmapped
