"""Sessions of Copilot CLI: figures beside those that they state, and sub-agents."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_at
from agentlog.projections.readers.registry import FORMATS, recognise
from tests.histories import examples
from tests.projections.readers.of_format import of_type, read
from tests.test_golden import GOLDEN

FILE = GOLDEN / "readers/copilot-cli/events.jsonl"
LINES: list[Any] = [parse(line) for line in FILE.read_bytes().splitlines()]
START = LINES[0]
COUNT = st.integers(0, 10**6)


def _event(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": kind, "timestamp": "2026-04-02T09:00:00.000Z"}


def _shutdown(*counts: tuple[int, int]) -> dict[str, Any]:
    metrics = {
        f"m{n}": {"usage": {"inputTokens": i, "outputTokens": o}} for n, (i, o) in enumerate(counts)
    }
    return _event("session.shutdown", modelMetrics=metrics)


def test_each_line_is_known_by_itself() -> None:
    known = [line for line in LINES if line["type"] != "session.moon_phase"]
    assert {recognise([line]).name for line in known} == {"copilot-cli"}


@given(st.lists(st.lists(st.tuples(COUNT, COUNT), max_size=3), max_size=4))
@examples(40)
def test_the_totals_are_those_of_the_last_end(ends: list[list[tuple[int, int]]]) -> None:
    """A session that goes on after a resume states its whole, or only what is new."""
    history = read("copilot-cli", [START, *(_shutdown(*counts) for counts in ends)])
    whole, new = [0, 0], [0, 0]
    for counts in ends:
        sums = [sum(i for i, _ in counts), sum(o for _, o in counts)]
        if any(sums):
            goes_on = all(a >= b for a, b in zip(sums, new, strict=True))
            whole = [w - b * goes_on + a for w, b, a in zip(whole, new, sums, strict=True)]
            new = sums
    told = [history.metadata.get(key) for key in ("inputTokens", "outputTokens")]
    assert told == (whole if any(whole) else [None, None])


def test_outputs_of_answers_add_up_to_what_the_session_states() -> None:
    """Those of sub-agents and of the compaction too, which no event of a file counts."""
    drafts = [it for history in FORMATS["copilot-cli"].read(LINES) for it in history.drafts]
    answers = [it for it in drafts if it["type"] == "llm_response"]
    compaction = next(it["data"] for it in LINES if it["type"] == "session.compaction_complete")
    outputs = [object_at(it, "usage")["outputTokens"] for it in answers]
    metrics = LINES[-1]["data"]["modelMetrics"].values()
    stated = sum(it["usage"]["outputTokens"] for it in metrics)
    assert (
        sum(map(int, map(str, outputs))) + compaction["compactionTokensUsed"]["outputTokens"]
        == stated
    )


def test_printed_usage_is_that_of_the_answer() -> None:
    usage = {"inputTokens": 90, "outputTokens": 9, "cacheReadTokens": 30, "duration": 1200}
    lines = [
        _event("assistant.usage", apiCallId="c1", model="gpt-5.2", **usage),
        _event("assistant.message", apiCallId="c1", messageId="m", content="hi", outputTokens=9),
        {"type": "result", "sessionId": "s", "exitCode": 1, "usage": {"premiumRequests": 1}},
    ]
    history = read("copilot-cli", lines)
    first, second = (it for it in history.drafts if it["type"] == "llm_response")
    assert first["usage"] == {"inputTokens": 90, "outputTokens": 9, "cachedInputTokens": 30}
    assert first["latencyMs"] == 1200
    assert object_at(first, "metadata")["responseId"] == "c1"
    assert object_at(second, "metadata")["responseId"] == "c1"
    assert history.id == "s"
    assert [it["reason"] for it in of_type(history, "exit")] == ["error"]


def test_a_sub_agent_is_a_thread_that_comes_back_with_the_result_of_its_call() -> None:
    main, agent = FORMATS["copilot-cli"].read(LINES)
    (sent,) = of_type(main, "worker_spawned")
    assert sent["threadId"] == agent.id
    assert (agent.parent, sent["objective"]) == (main.id, "Find the rule for late parcels.")
    assert [it["output"] for it in of_type(main, "worker_result")] == ["Late is after three days."]


def test_an_agent_of_old_files_is_named_by_its_call() -> None:
    lines = [
        START,
        _event("subagent.started", toolCallId="t1", agentName="a", agentDescription="looks"),
        _event("assistant.message", messageId="m", content="found", parentToolCallId="t1"),
        _event("subagent.failed", toolCallId="t1", agentName="a", error="broke"),
    ]
    main, agent = FORMATS["copilot-cli"].read(lines)
    assert agent.id == f"{main.id}:t1"
    (result,) = of_type(main, "worker_result")
    assert result["error"] == {"message": "broke", "code": "failed"}
