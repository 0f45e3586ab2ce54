"""Spans as a tracer would write them, for tests of what becomes of them."""

from collections.abc import Iterator
from typing import Any

from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.history import History
from agentlog.projections.readers.registry import FORMATS


def run(run_id: str, kind: str, second: int, **fields: Any) -> dict[str, Any]:
    """Return a run of LangSmith in the trace `t`, which takes a second."""
    return {
        "id": run_id,
        "trace_id": "t",
        "parent_run_id": None,
        "run_type": kind,
        "name": kind,
        "start_time": f"2026-05-20T10:00:{second:02}",
        "end_time": f"2026-05-20T10:00:{second + 1:02}",
        "inputs": {},
        "outputs": None,
        **fields,
    }


def model(run_id: str, second: int, given: JsonValue, gave: JsonValue, **more: Any) -> JsonValue:
    """Return the run of a model."""
    return run(run_id, "llm", second, inputs={"messages": given}, outputs=gave, **more)


def said(role: str, content: JsonValue, **fields: Any) -> dict[str, Any]:
    """Return a chat message."""
    return {"role": role, "content": content, **fields}


def asked(call_id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    """Return an answer that calls a tool."""
    function = {"name": name, "arguments": arguments}
    return said("assistant", None, tool_calls=[{"id": call_id, "function": function}])


def thread(*runs: JsonValue) -> History:
    """Return the only thread of runs."""
    (history,) = FORMATS["langsmith"].read(list(runs))
    return history


def lines(history: History) -> list[str]:
    """Return the drafts of a thread in few words each, but for records of models and tools."""
    records = {"langsmith.llm", "langsmith.tool", "langsmith.context_rewritten"}
    told = [draft for draft in history.drafts if draft["type"] not in records]
    return [" ".join(_words(draft)) for draft in told]


def _words(draft: dict[str, Any]) -> Iterator[str]:
    yield draft["type"]
    for key in ("text", "summary", "error"):
        if key in draft:
            yield draft[key]
    for call in draft.get("calls", ()):
        yield f"{call['id']} {call['name']}"
    for result in draft.get("results", ()):
        yield f"{result.get('callId')} {result['output']}"
