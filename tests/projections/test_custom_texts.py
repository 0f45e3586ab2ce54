"""What messages of own types say in a line."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.custom_texts import LONGEST, TEXTS, custom_text
from tests.histories import json_values

_UUID = "7d1db301-e169-4649-a21b-1ea3ad00cfee"


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
            "langgraph.checkpoint",
            {"id": "c1", "metadata": {"step": 0, "source": "loop"}, "values": {"notes": 1}},
            "step 0 · loop · notes",
        ),
        (
            "langgraph.writes",
            {"path": "", "writes": [[0, "notes", {}], [1, "plan", {}]]},
            "notes, plan",
        ),
        (
            "claude-code.custom-title",
            {"type": "custom-title", "customTitle": "Late"},
            "customTitle: Late",
        ),
        (
            "codex.patch_apply_end",
            {"type": "event_msg", "payload": {"call_id": "c", "success": True, "stdout": "Done!"}},
            "success: true, stdout: Done!",
        ),
        (
            "vendor.odd",
            {"uuid": _UUID, "made": _UUID, "nothing": None, "list": [1], "count": 0, "name": "x"},
            "count: 0, name: x, list: [1]",
        ),
        ("vendor.odd", "a\ntext", "a text"),
        ("vendor.odd", None, ""),
    ],
)
def test_it_says_what_distinguishes_it(type_name: str, payload: Any, text: str) -> None:
    assert custom_text(type_name, payload) == text


_names = st.sampled_from(
    "score scorer changes cmd result type name scores eval state content values writes".split()
)


@given(json_values | st.dictionaries(_names, json_values))
def test_any_payload_has_one_line_in_any_type(payload: Any) -> None:
    for type_name in (*TEXTS, "vendor.any"):
        text = custom_text(type_name, payload)
        assert len(text) <= LONGEST
        assert "\n" not in text
