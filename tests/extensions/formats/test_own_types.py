"""What messages of agents' own types say in a line, and what they begin or end."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.outline.groups import groups_of
from agentlog.projections.own_types.registry import OWN_TYPES
from agentlog.projections.own_types.texts import custom_text, mark_of
from agentlog.projections.view import render
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from tests.histories import history, json_values


@pytest.mark.parametrize(
    ("type_name", "payload", "text"),
    [
        (
            "inspect.score",
            {"uuid": "u1", "score": {"value": "I", "answer": "7"}, "scorer": "match"},
            "I (incorrect) · match · answered 7",
        ),
        ("inspect.score", {"score": {"value": 0.5}}, "0.5"),
        (
            "inspect.state",
            {"changes": [{"op": "add", "path": f"/messages/{n}"} for n in range(6)]},
            "add /messages/0, add /messages/1, add /messages/2, add /messages/3, 2 more",
        ),
        ("inspect.sandbox", {"action": "exec", "cmd": "ls -l", "result": 2}, "ls -l · exit 2"),
        ("inspect.sandbox", {"action": "read_file", "file": "a.txt"}, "read_file · a.txt"),
        ("inspect.span_begin", {"type": "solver", "name": "generate"}, "solver · generate"),
        ("inspect.step", {"action": "begin", "type": "t", "name": "t"}, "begin · t"),
        ("inspect.sample", {"scores": {"match": {"value": "C"}}}, "match: C (correct)"),
        (
            "inspect.eval",
            {"eval": {"task": "maths", "model": "m"}, "status": "success"},
            "maths · m · success",
        ),
        (
            "swe-agent.step",
            {"state": '{"open_file": "a.py", "working_dir": "/src"}'},
            "open_file: a.py, working_dir: /src",
        ),
        ("swe-agent.step", {"state": "{broken"}, "state: {broken"),
        (
            "letta-agent.block",
            {"label": "human", "value": "Ada\nlikes tea"},
            "human · Ada likes tea",
        ),
        ("letta-agent.summary", {"content": [{"text": "Short."}]}, "Short."),
        (
            "claude-code.custom-title",
            {"type": "custom-title", "customTitle": "Late"},
            "Late",
        ),
        (
            "codex.patch_apply_end",
            {"payload": {"success": False, "changes": {"a.py": {}}, "stderr": "no such file"}},
            "failed · a.py · no such file",
        ),
        ("codex.task_started", {"payload": {"model_context_window": 99}}, "context 99 tokens"),
        ("codex.turn_aborted", {"payload": {"reason": "interrupted"}}, "interrupted"),
        (
            "codex.item_completed",
            {
                "payload": {
                    "item": {
                        "type": "CommandExecution",
                        "command": ["bash", "-lc", "ls late"],
                        "exit_code": 2,
                    }
                }
            },
            "ls late · exit 2",
        ),
        (
            "codex.item_completed",
            {"payload": {"item": {"type": "AgentMessage", "content": [{"text": "Done."}]}}},
            "AgentMessage · Done.",
        ),
        (
            "codex.token_count",
            {
                "payload": {
                    "info": {
                        "last_token_usage": {"input_tokens": 11},
                        "total_token_usage": {"total_tokens": 18},
                    }
                }
            },
            "11 → ? tokens · 18 in all",
        ),
        (
            "codex.turn_context",
            {"payload": {"model": "gpt-x", "approval_policy": "never", "cwd": "/work"}},
            "gpt-x · asks never · /work",
        ),
        ("codex.web_search_call", {"action": {"query": "late parcels"}}, "late parcels"),
        ("codex.token_count", {"payload": {"info": None, "kind": "x"}}, "kind: x"),
        (
            "claude-code.attachment",
            {"attachment": {"type": "deferred_tools_delta", "addedNames": ["A", "B"]}},
            'deferred tools delta · addedNames: ["A","B"]',
        ),
        (
            "claude-code.progress",
            {
                "data": {
                    "type": "agent_progress",
                    "prompt": "Survey the east depot.",
                    "message": {"message": {"content": [{"type": "tool_use", "name": "Bash"}]}},
                }
            },
            "agent progress · Bash · Survey the east depot.",
        ),
        ("claude-code.queue-operation", {"operation": "enqueue", "content": "Hi"}, "enqueue · Hi"),
        (
            "claude-code.cost-state",
            {"totalCostUSD": 0.5, "modelUsage": {"opus": {}}},
            "$0.5 so far · opus",
        ),
        (
            "claude-code.system-compact_boundary",
            {"compactMetadata": {"trigger": "auto", "preTokens": 900}},
            "auto · 900 tokens before",
        ),
    ],
)
def test_it_says_what_distinguishes_it(type_name: str, payload: Any, text: str) -> None:
    assert custom_text(type_name, payload) == text


def test_steps_of_codex_and_of_logs_of_inspect_are_groups() -> None:
    def codex(kind: str) -> dict[str, Any]:
        return {"type": f"codex.{kind}", "payload": {"payload": {"type": kind, "turn_id": "t"}}}

    def span(kind: str) -> dict[str, Any]:
        return {"type": f"inspect.{kind}", "payload": {"id": "a", "type": "scorer"}}

    def step(action: str) -> dict[str, Any]:
        payload = {"action": action, "type": "solver", "name": "generate"}
        return {"type": "inspect.step", "payload": payload}

    inside = [step("begin"), span("span_begin"), span("span_end"), step("end")]
    events = history(codex("task_started"), *inside, codex("turn_aborted"))
    items = render(TimelineView(TimelineOptions(hint=True)), events).items
    groups = groups_of([placed.item for placed in items], len(events))
    assert [(group.name, group.events) for group in groups] == [
        ("turn", 6),
        ("solver generate", 4),
        ("scorer", 2),
    ]


@given(
    st.sampled_from([f"{wire}.{kind}" for wire, own in OWN_TYPES.items() for kind in own.marks]),
    json_values,
)
def test_any_payload_is_a_mark_or_none(type_name: str, payload: Any) -> None:
    mark = mark_of(type_name, payload)
    assert mark is None or mark["mark"] in {"begin", "end"}


def test_groups_stand_in_the_outline_with_what_is_in_them(client: TestClient) -> None:
    def mark(kind: str) -> dict[str, object]:
        payload = {"id": "s", "type": "solver", "name": "generate"}
        return {"type": f"inspect.{kind}", "payload": payload}

    answer = {"type": "llm_response", "usage": {"inputTokens": 10, "outputTokens": 2}}
    untimed = [
        mark("span_begin"),
        answer,
        {"type": "runtime_error", "error": "x"},
        mark("span_end"),
    ]
    drafts = [{"timestamp": 1_767_323_045_000 + 5 * n, **draft} for n, draft in enumerate(untimed)]
    assert client.post("/v1/threads/g/messages", json=drafts).status_code == 201
    body = client.get("/v1/threads/g/outline?steps=false").json()
    assert body["steps"] == []
    (group,) = body["groups"]
    assert group == {
        "name": "solver generate",
        "version": 1,
        "endVersion": 4,
        "depth": 0,
        "open": False,
        "events": 4,
        "failures": 1,
        "told": 0,
        "suspected": 0,
        "elapsedMs": 15,
        "inputTokens": 10,
        "outputTokens": 2,
        "costUsd": None,
        "computedCalls": 0,
    }
    assert client.get("/v1/threads/g/outline").json()["groups"][0]["events"] == 4
