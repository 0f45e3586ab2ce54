"""Letta items to import: examples of every message type, and any that hypothesis draws."""

from hypothesis import strategies as st

from agentlog.projections.view import Item
from agentlog.projections.views.letta.residue import EXIT_REASONS
from tests.projections.letta_api import BASE, CALL, CLASSES, HIDDEN, OTHER_CALL, RETURN


def tool_item(kind: str, *calls: Item) -> Item:
    return {**BASE, "message_type": kind, "tool_call": calls[0], "tool_calls": list(calls)}


RESPONSE = {**BASE, "message_type": "approval_response_message"}
YES = {"type": "approval", "tool_call_id": "a", "approve": True}
NO = {"type": "approval", "tool_call_id": "b", "approve": False, "reason": "no"}
RETURNED = {
    **BASE,
    "message_type": "tool_return_message",
    "tool_return": "found",
    "status": "success",
    "tool_call_id": "a",
}
BAD_RETURN = {"tool_call_id": "b", "status": "error", "tool_return": "full", "stderr": ["!"]}
USER = {**BASE, "message_type": "user_message"}

LISTED: dict[str, list[Item]] = {
    "system": [{**BASE, "message_type": "system_message", "content": "be kind"}],
    "user": [{**USER, "content": "hi", "name": "ada", "otid": "o", "sender_id": None}],
    "user in parts": [
        {
            **USER,
            "content": [
                {"type": "image", "source": {"type": "url", "url": "https://example.org/i"}},
                {"type": "text", "text": "see"},
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="},
                },
            ],
        }
    ],
    "user with an image alone": [
        {
            **USER,
            "content": [
                {
                    "type": "image",
                    "source": {
                        "type": "base64",
                        "media_type": "image/png",
                        "data": "not base64",
                        "detail": "low",
                    },
                }
            ],
        }
    ],
    "no parts": [{**USER, "content": []}],
    "reasoning": [
        {
            **BASE,
            "message_type": "reasoning_message",
            "reasoning": "Title\nhm",
            "source": "reasoner_model",
            "signature": "s",
            "step_id": "step-1",
        }
    ],
    "hidden reasoning": [HIDDEN],
    "assistant": [{**BASE, "message_type": "assistant_message", "content": "done", "step_id": "s"}],
    "assistant in parts": [
        {
            **BASE,
            "message_type": "assistant_message",
            "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        }
    ],
    "call": [tool_item("tool_call_message", CALL)],
    "call of old": [{**BASE, "message_type": "tool_call_message", "tool_call": OTHER_CALL}],
    "call beside null": [{**tool_item("tool_call_message", CALL), "tool_calls": None}],
    "calls in one": [tool_item("tool_call_message", CALL, OTHER_CALL)],
    "calls, the second first": [
        {**tool_item("tool_call_message", CALL, OTHER_CALL), "tool_call": OTHER_CALL}
    ],
    "request": [tool_item("approval_request_message", CALL)],
    "requests in one": [tool_item("approval_request_message", CALL, OTHER_CALL)],
    "request after a call": [
        tool_item("tool_call_message", CALL),
        tool_item("approval_request_message", CALL),
    ],
    "response": [{**RESPONSE, "approvals": [YES], "approve": True, "approval_request_id": "m"}],
    "responses in one": [{**RESPONSE, "approvals": [YES, NO], "approve": None}],
    "responses, then another": [
        {**RESPONSE, "approvals": [YES, NO], "approve": True, "reason": None},
        {**RESPONSE, "approvals": [NO], "approve": False, "reason": "no"},
    ],
    "response of old": [{**RESPONSE, "approve": False, "approval_request_id": "m", "reason": "n"}],
    "response with a tool's return": [{**RESPONSE, "approvals": [RETURN, NO]}],
    "a response that does not say to what, after its request": [
        tool_item("approval_request_message", CALL),
        {**RESPONSE, "approvals": [YES], "approve": True},
    ],
    "a response with null, after its request": [
        tool_item("approval_request_message", CALL),
        {**RESPONSE, "approvals": [YES], "approve": True, "approval_request_id": None},
    ],
    "return": [{**RETURNED, "tool_returns": [RETURN], "name": "search", "stdout": ["x"]}],
    "return of old": [RETURNED],
    "return in parts": [
        {**RETURNED, "tool_returns": [{**RETURN, "tool_return": [{"type": "text", "text": "f"}]}]}
    ],
    "error": [{**RETURNED, "tool_return": "Error: full", "status": "error"}],
    "error in other words": [{**RETURNED, "tool_return": "full", "status": "error"}],
    "returns in one": [{**RETURNED, "tool_returns": [RETURN, BAD_RETURN]}],
    "summary": [{**BASE, "message_type": "summary_message", "summary": "so far"}],
    "event": [
        {
            **BASE,
            "message_type": "event_message",
            "event_type": "compaction",
            "event_data": {"n": 1},
        }
    ],
    "a date before 1970": [
        {**USER, "content": "hi", "date": "1969-12-31T23:59:59Z"},
    ],
    "a date in microseconds without zone": [
        {**USER, "content": "hi", "date": "2026-01-02T03:04:05.123456"},
    ],
}
STREAMED: dict[str, list[Item]] = {
    "usage": [
        {
            "message_type": "usage_statistics",
            "prompt_tokens": 3,
            "total_tokens": 3,
            "step_count": 2,
            "run_ids": ["run-1"],
            "cache_write_tokens": None,
        }
    ],
    "no usage": [{"message_type": "usage_statistics"}],
    "failure": [
        {
            "message_type": "error_message",
            "run_id": "run-1",
            "error_type": "llm_error",
            "message": "boom",
            "detail": None,
        }
    ],
    **{
        reason: [{"message_type": "stop_reason", "stop_reason": reason}]
        for reason in [*EXIT_REASONS, "requires_approval"]
    },
}


_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_ids = st.sampled_from(["a", "b", "c", "d"])
_base = st.fixed_dictionaries(
    {"id": _texts, "date": st.datetimes().map(lambda date: date.isoformat())},
    optional={
        "name": st.none() | _texts,
        "otid": st.none() | _texts,
        "step_id": st.none() | _texts,
        "seq_id": st.none() | st.integers(),
        "is_err": st.none() | st.booleans(),
        "unheard_of": st.none() | _texts,
    },
)
_wire_calls = st.lists(
    st.fixed_dictionaries({"tool_call_id": _ids, "name": _texts, "arguments": _texts}),
    min_size=1,
    max_size=3,
    unique_by=lambda call: call["tool_call_id"],
)
_wire_returns = st.lists(
    st.fixed_dictionaries(
        {
            "tool_call_id": _ids,
            "status": st.sampled_from(["success", "error"]),
            "tool_return": _texts,
        },
        optional={"stdout": st.none() | st.lists(_texts, max_size=2), "type": st.just("tool")},
    ),
    min_size=1,
    max_size=3,
)
_approvals = st.lists(
    st.fixed_dictionaries(
        {"tool_call_id": _ids, "approve": st.booleans()}, optional={"reason": st.none() | _texts}
    ),
    min_size=1,
    max_size=3,
)
_parts = st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": _texts}), max_size=3)


def _fields(kind: str) -> st.SearchStrategy[Item]:
    match kind:
        case "system_message":
            return st.fixed_dictionaries({"content": _texts})
        case "user_message" | "assistant_message":
            return st.fixed_dictionaries({"content": _texts | _parts})
        case "reasoning_message":
            return st.fixed_dictionaries({"reasoning": _texts}, optional={"signature": _texts})
        case "hidden_reasoning_message":
            return st.fixed_dictionaries({"state": st.sampled_from(["redacted", "omitted"])})
        case "tool_call_message" | "approval_request_message":
            return _wire_calls.map(lambda calls: {"tool_call": calls[0], "tool_calls": calls})
        case "tool_return_message":
            return _wire_returns.map(
                lambda returns: {
                    "tool_call_id": returns[0]["tool_call_id"],
                    "status": returns[0]["status"],
                    "tool_return": returns[0]["tool_return"],
                    "tool_returns": returns,
                }
            )
        case "approval_response_message":
            return st.fixed_dictionaries(
                {"approvals": _approvals},
                optional={
                    "approval_request_id": st.none() | _texts,
                    "reason": st.none() | _texts,
                    "approve": st.none(),
                },
            )
        case _:
            return st.fixed_dictionaries({"summary": _texts})


_KINDS = sorted(CLASSES[False].keys() - {"event_message"})
wire_items = st.sampled_from(_KINDS).flatmap(
    lambda kind: st.tuples(_base, _fields(kind)).map(
        lambda both: {**both[0], "message_type": kind, **both[1]}
    )
)
