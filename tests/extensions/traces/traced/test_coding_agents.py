"""What coding agents sent of themselves: two shell commands, asked for by a scripted provider.

Recorded with Gemini CLI 0.61.0, Codex 0.171.0 and Claude Code 2.1.197 (enhanced telemetry): spans
and logs of one run. Long texts of their makers are shortened, and spans of Codex have no words.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.values import JsonValue, object_at
from agentlog.extensions.traces.projections.readers.dialects.log_records import is_known
from agentlog.extensions.traces.projections.readers.otlp_json import records_of_file
from agentlog.extensions.traces.projections.readers.placement import (
    in_order,
    placed,
    placed_records,
    read_span,
)
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.thread import SpanThread, folded
from agentlog.projections.readers.draft import sample_event
from agentlog.projections.readers.history import History
from agentlog.projections.readers.registry import FORMATS
from tests.extensions.traces.traced.test_ai_sdk import Item, recording

TOKENS = (10, 5)
GEMINI_CLI = "agent-gemini-cli-0.61.0.json.gz"
STORY = [
    *("system", "input", "reasoning", "call echo step-1", "result step-1"),
    *("reasoning", "call echo step-2", "result step-2", "reasoning", "reply Done after 2 calls."),
]


def the_run(requests: Sequence[Item]) -> History:
    """Return the one history with the tokens or words of a model."""
    histories = [history for history in FORMATS["otlp"].read(list(requests)) if told(history)]
    (history,) = histories
    return history


def told(history: History) -> list[str]:
    return told_by(history.drafts)


def told_by(drafts: Sequence[Item]) -> list[str]:
    lines: list[str] = []
    for draft in drafts:
        match draft:
            case {"type": "tool_calls", "calls": [{"args": {"command": str(command)}}]}:
                lines.append(f"call {command}")
            case {"type": "tool_calls", "calls": [{"name": str(name)}]}:
                lines.append(f"call {name}")
            case {"type": "tool_results", "results": [{"output": output}]}:
                step = next((f"step-{n}" for n in (1, 2) if f"step-{n}" in str(output)), output)
                lines.append(f"result {step}")
            case {"type": "reply", "text": text}:
                lines.append(f"reply {text}")
            case {"type": "system" | "input" | "reasoning" as kind}:
                lines.append(kind)
            case _:
                pass
    return lines


def tokens(history: History) -> list[tuple[JsonValue, JsonValue]]:
    responses = (draft for draft in history.drafts if draft["type"] == "llm_response")
    usages = (object_at(draft, "usage") for draft in responses)
    return [(usage["inputTokens"], usage["outputTokens"]) for usage in usages]


@pytest.mark.parametrize(
    ("signals", "figures"),
    [(["spans"], 3), (["logs"], 0), (["spans", "logs"], 3), (["logs", "spans"], 3)],
)
def test_gemini_cli_tells_a_run_once_by_spans_logs_or_both(
    signals: list[str], figures: int
) -> None:
    recorded = recording(GEMINI_CLI)
    history = the_run([request for signal in signals for request in recorded[signal]])
    assert told(history) == STORY
    assert tokens(history) == [TOKENS] * figures
    results = [draft for draft in history.drafts if draft["type"] == "tool_results"]
    calls = [draft for draft in history.drafts if draft["type"] == "tool_calls"]
    ids = [call["id"] for draft in calls for call in draft["calls"]]
    assert ids == [result["callId"] for draft in results for result in draft["results"]]
    assert not [part.place for part in history.unmapped if "messages" in part.place]


def test_codex_tells_its_calls_and_their_tokens() -> None:
    history = the_run(recording("agent-codex-0.171.0.json.gz")["spans"])
    run = ["call exec_command", "result None"]
    assert told(history) == run * 2
    assert tokens(history) == [TOKENS] * 3


def test_claude_code_tells_all_but_its_system_prompt() -> None:
    history = the_run(recording("agent-claude-code-2.1.197.json.gz")["spans"])
    calls = [f"{what} step-{n}" for n in (1, 2) for what in ("call echo", "result")]
    title = ["input", "reply Done after 0 calls."]
    assert told(history) == [*title, "input", *calls, "reply Done after 2 calls."]
    assert tokens(history) == [TOKENS] * 4  # the first is that of a title
    assert list(history.unmapped) == []


AGENTS = {
    "codex-0.171.0": (["call exec_command"] * 2 + ["result"] * 2, ["input"], 3),
    "claude-code-2.1.197": (
        [
            *(f"call echo step-{n}" for n in (1, 2)),
            *(f"reply Done after {n} calls." for n in (0, 2)),
        ],
        ["input", "system"],
        4,
    ),
}
"""What all signals tell of a run, what log events tell besides, and how many answers there were."""


def both(agent: str) -> tuple[list[Item], list[Item]]:
    """Return the requests with spans of an agent, and those with its log events."""
    spans = recording(f"agent-{agent}.json.gz")["spans"]
    return spans, recording(f"agent-{agent}-logs.json.gz")["logs"]


def story(drafts: Sequence[Item]) -> list[str]:
    """Return what was said, results without their texts."""
    return sorted("result" if line.startswith("result") else line for line in told_by(drafts))


def answers(drafts: Sequence[Item]) -> set[JsonValue]:
    responses = [draft for draft in drafts if draft["type"] == "llm_response"]
    assert {tuple(draft["usage"].items())[:2] for draft in responses} == {
        (("inputTokens", TOKENS[0]), ("outputTokens", TOKENS[1]))
    }
    return {draft["metadata"]["responseId"] for draft in responses}


@pytest.mark.parametrize("agent", AGENTS)
def test_log_events_of_an_agent_tell_its_run_alone(agent: str) -> None:
    said, besides, count = AGENTS[agent]
    drafts = the_run(both(agent)[1]).drafts
    assert story(drafts) == sorted([*said, *besides])
    assert len(answers(drafts)) == count
    assert all(draft.get("latencyMs") != 0 for draft in drafts)
    kinds = [draft["type"] for draft in drafts]
    assert kinds.index("input") < len(kinds) - 1 - kinds[::-1].index("llm_response")


def test_log_events_of_claude_code_state_costs_and_name_the_answer_of_a_text() -> None:
    drafts = the_run(both("claude-code-2.1.197")[1]).drafts
    responses = [draft for draft in drafts if draft["type"] == "llm_response"]
    assert {draft["costUsd"] for draft in responses} == {0.000175}
    said = [draft for draft in drafts if draft["type"] in {"reply", "tool_calls"}]
    assert {draft["metadata"]["responseId"] for draft in said} == answers(drafts)


def test_log_events_of_codex_have_what_its_spans_lack() -> None:
    spans, logs = both("codex-0.171.0")
    for requests in ([*spans, *logs], [*logs, *spans]):
        drafts = the_run(requests).drafts
        calls = [call for draft in drafts for call in draft.get("calls", ())]
        assert [call["args"] for call in calls] == [{"cmd": f"echo step-{n}"} for n in (1, 2)]
        results = [result for draft in drafts for result in draft.get("results", ())]
        assert ["step-" in str(result["output"]) for result in results] == [True, True]


@given(st.sampled_from(sorted(AGENTS)), st.data())
def test_spans_and_log_events_tell_a_run_once_in_any_order_split_and_twice(
    agent: str, data: st.DataObject
) -> None:
    said, besides, count = AGENTS[agent]
    spans, logs = both(agent)
    items = [
        (signal, item)
        for signal, requests in (("traces", spans), ("logs", logs))
        for request in requests
        for item in records_of_file(request)[signal == "logs"]
        if (is_known(item) if signal == "logs" else read_span(item))
    ]
    order = data.draw(st.permutations([*items, *data.draw(st.lists(st.sampled_from(items)))]))
    thread, drafts = SpanThread(), list[Item]()
    restarts = data.draw(st.booleans())
    size = data.draw(st.integers(1, len(order)))
    for begin in range(0, len(order), size):
        batch = order[begin : begin + size]
        rows = placed([item for signal, item in batch if signal == "traces"], lambda _: False)
        records = [item for signal, item in batch if signal == "logs"]
        together = [row.span for row in (*rows, *placed_records(records))]
        drafts += recorded(thread, in_order(together))
        if restarts:
            events = (sample_event(draft, version) for version, draft in enumerate(drafts, 1))
            thread = folded(events)
    titles = ["input"] if agent.startswith("claude") else []
    results = ["result"] * 2 if agent.startswith("claude") else []
    assert story(drafts) == sorted([*said, *besides, *titles, *results])
    assert len(answers(drafts)) == count


def test_events_of_an_older_claude_code_have_numbers_as_texts() -> None:
    attributes = {"session.id": "s", "event.name": "api_request", "model": "m"}
    attributes |= {"input_tokens": "7", "output_tokens": "3", "cost_usd": "0.5"}
    attributes |= {"cache_read_tokens": "90", "duration_ms": "1500"}
    record = log("claude_code.api_request", attributes)
    (history,) = FORMATS["otlp"].read([record])
    (draft,) = [draft for draft in history.drafts if draft["type"] == "llm_response"]
    assert (draft["costUsd"], draft["latencyMs"]) == (0.5, 1500)
    assert draft["usage"] == {"inputTokens": 97, "outputTokens": 3, "cachedInputTokens": 90}


@pytest.mark.parametrize("name", ["claude_code.user_prompt", "codex.user_prompt"])
def test_a_prompt_that_was_left_out_is_no_message(name: str) -> None:
    key, redacted = {
        "claude_code.user_prompt": ("session.id", "<REDACTED>"),
        "codex.user_prompt": ("conversation.id", "[REDACTED]"),
    }[name]
    given_name = name.removeprefix("claude_code.")
    record = log(name, {key: "s", "event.name": given_name, "prompt": redacted})
    (history,) = FORMATS["otlp"].read([record])
    assert [draft["type"] for draft in history.drafts] == ["otel.log"]


def log(body: str, attributes: dict[str, str]) -> Item:
    """Return a request with a log record of an agent."""
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    record = {"timeUnixNano": "1795955847121000000", "body": {"stringValue": body}}
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [{**record, "attributes": listed}]}]}]}
