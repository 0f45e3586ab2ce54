"""What coding agents sent of themselves: two shell commands, asked for by a scripted provider.

Recorded with Gemini CLI 0.61.0 (spans and logs), Codex 0.171.0 and Claude Code 2.1.197 (spans of
its enhanced telemetry). Long texts of their makers are shortened, and spans of Codex have no words.
"""

from collections.abc import Sequence

import pytest

from agentlog.domain.json.values import JsonValue, object_at
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
    lines: list[str] = []
    for draft in history.drafts:
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
