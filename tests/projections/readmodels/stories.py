"""Histories of what read models look at: asks and answers whose ids meet, facts, odd figures."""

import dataclasses
from typing import Any

from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.numbers import WrittenFloat
from agentlog.domain.json.text import print_bytes
from tests.histories import event, histories, json_values, metadata, texts, timestamps

_ids = st.sampled_from(["a", "b", "nul\x00"])
_counts = st.integers(0, 100) | st.sampled_from([2**63 - 1, 2**63, 2**70])
_figures = (
    st.floats(0, 1000) | st.integers(0, 9) | st.sampled_from([WrittenFloat("1e400"), 1.7e308])
)
_said = st.one_of(texts, st.just("Error: no such flight"), st.just("x" * 600), json_values)


def _draft(kind: str, optional: Any = None, **required: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(kind), **required}, optional=optional or {})


_usage = st.fixed_dictionaries(
    {}, optional={"inputTokens": _counts, "outputTokens": _counts, "totalTokens": _counts}
)
_calls = st.fixed_dictionaries({"id": _ids, "name": st.sampled_from(["f", "g\x00"])})
_results = st.fixed_dictionaries(
    {"output": _said}, optional={"callId": _ids, "name": st.sampled_from(["f", "g\x00"])}
)
_facts = st.one_of(
    _draft(
        "thread.started",
        {"goal": texts, "parent": st.just("parent"), "policy": st.just("record")},
        metadata=st.dictionaries(texts, json_values, max_size=3),
    ),
    _draft("thread.annotated", metadata=st.dictionaries(texts, json_values, min_size=1)),
    _draft("thread.closed", {"reason": texts}),
    _draft("thread.hidden", {"reason": texts}),
    _draft("thread.shown"),
)
_model_calls = st.one_of(
    _draft("llm_request", {"model": texts}),
    _draft(
        "llm_response",
        {"model": texts, "usage": _usage, "costUsd": _figures, "latencyMs": _figures},
    ),
    _draft("runtime_error", error=texts),
)
_approvals = st.one_of(
    _draft("approval_request", {"reason": texts}, callId=_ids, tool=texts),
    _draft("approval_response", {"reason": texts}, callId=_ids, approved=st.booleans()),
)
_workers = st.one_of(
    _draft("worker_spawned", {"model": texts}, workerId=_ids, objective=texts),
    _draft("worker_result", workerId=_ids, output=_said),
    _draft(
        "worker_result",
        workerId=_ids,
        error=st.fixed_dictionaries({"message": texts}, optional={"code": texts}),
    ),
)
_tool_calls = st.one_of(
    _draft("tool_calls", calls=st.lists(_calls, min_size=1, max_size=2)),
    _draft("tool_results", results=st.lists(_results, min_size=1, max_size=2)),
)
_talk = st.one_of(
    _draft("reply", text=texts),
    _draft("exit", reason=st.sampled_from(["complete", "error"])),
    _facts,
)
_kinds = [_model_calls, _approvals, _workers, _tool_calls, _talk]


def with_facts(*drafts: dict[str, Any]) -> list[Event]:
    """Return the events of a thread with these messages and facts, versions from 1.

    The metadata of a fact is part of it.
    """
    return [
        _fact(version, draft) if draft["type"].startswith("thread.") else event(version, draft)
        for version, draft in enumerate(drafts, 1)
    ]


def _fact(version: int, draft: dict[str, Any]) -> Event:
    made = event(version, {"type": draft["type"]})
    body = print_bytes({"id": made.message_id, "timestamp": 1_767_323_045_000 + version, **draft})
    return dataclasses.replace(made, body=body)


@st.composite
def _meetings(draw: st.DrawFn) -> list[Event]:
    kind = draw(st.sampled_from([*_kinds, st.one_of(_kinds)]))
    drafts = draw(st.lists(kind, min_size=2, max_size=16))
    for draft in drafts:
        if not draft["type"].startswith("thread."):
            draft.update(timestamp=draw(timestamps), metadata=draw(metadata))
    return with_facts(*drafts)


stories = _meetings() | histories(max_size=24)
"""Histories in which asks and answers often meet, and histories of anything."""
