"""States of a run: what a story of messages comes to."""

from typing import Any

from agentlog.extensions.formats.run_state.view import RunStateView
from agentlog.projections.view import Item, render
from tests.histories import history

VIEW = RunStateView()


def state_of(*drafts: dict[str, Any]) -> Item:
    """Return the state after these messages."""
    return VIEW.state(render(VIEW, history(*drafts)).carry)


def asked(name: str, args: Any = None, call_id: str = "a", **more: Any) -> dict[str, Any]:
    """Return a message with one call."""
    call = {"id": call_id, "name": name, **({} if args is None else {"args": args}), **more}
    return {"type": "tool_calls", "calls": [call]}


def gave(output: Any = "ok", call_id: str = "a", **more: Any) -> dict[str, Any]:
    """Return a message with one result; `metadata` is the message's."""
    beside = {"metadata": more.pop("metadata")} if "metadata" in more else {}
    result = {"callId": call_id, "output": output, **more}
    return {"type": "tool_results", "results": [result], **beside}


def noted(wire: str, **fields: Any) -> dict[str, Any]:
    """Return metadata with what a reader keeps beside a message."""
    return {"wire": {wire: [{"set": fields}]}}
