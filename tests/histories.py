"""Histories to test with: built by hand from short words, or drawn by hypothesis."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from agentlog.domain.catalogue import validate_message
from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import print_bytes

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def examples(count: int, *, long: int | None = None) -> settings:
    """Return settings for so many examples; in the long profile `long`, or ten times as many."""
    is_long = settings.get_current_profile_name() == "long"
    return settings(max_examples=(long or count * 10) if is_long else count)


def event(version: int, draft: dict[str, Any]) -> Event:
    """Return the event that `draft` becomes at `version`.

    `metadata` is taken out of a message; a fact's is its own.
    """
    message_id = derived_message_id("test", version)
    body = {"id": message_id, "timestamp": 1_767_323_045_000 + version, **draft}
    metadata = {}
    if not body["type"].startswith("thread."):
        metadata = body.pop("metadata", {})
        validate_message(body)
    return Event(
        originator_id="test",
        originator_version=version,
        type=body["type"],
        body=print_bytes(body),
        message_id=body["id"],
        position=version,
        recorded_at=START + timedelta(milliseconds=version),
        metadata=metadata,
    )


def history(*drafts: dict[str, Any]) -> list[Event]:
    """Return the events of a thread with these messages, versions from 1."""
    return [event(index + 1, draft) for index, draft in enumerate(drafts)]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_digits = st.text("0123456789", min_size=1, max_size=30)
numbers = st.tuples(
    st.sampled_from(["", "-"]),
    _digits.map(lambda text: text.lstrip("0") or "0"),
    st.sampled_from(["", "."]).flatmap(
        lambda dot: _digits.map(lambda text: dot + text) if dot else st.just("")
    ),
    st.sampled_from(["", "e", "E+", "e-"]).flatmap(
        lambda e: _digits.map(lambda text: e + text) if e else st.just("")
    ),
).map("".join)
"""Numbers of JSON as somebody writes them."""

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**70), max_value=2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
call_ids = st.sampled_from(["a", "b", "c", "call_\x00é"])
names = st.sampled_from(["search", "book", "weird name/\u202e", ""])
timestamps = st.integers(0, 10**9 - 1) | st.integers(10**11, 253_402_300_799_999)
"""Times in ms; those between would be taken for seconds."""


def _optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


def _draft(
    kind: str,
    required: dict[str, st.SearchStrategy[Any]] | None = None,
    optional: dict[str, st.SearchStrategy[Any]] | None = None,
) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just(kind), **(required or {})}, optional=optional or {}
    )


calls = st.fixed_dictionaries(
    {"id": call_ids, "name": names}, optional={"args": json_values, "argumentsText": texts}
)
errors = texts | st.fixed_dictionaries({"message": texts}, optional={"name": texts, "stack": texts})
results = st.fixed_dictionaries(
    {"output": json_values}, optional={"callId": call_ids, "name": names, "error": errors}
) | st.fixed_dictionaries({"callId": call_ids})
files = st.fixed_dictionaries(
    {"data": st.sampled_from(["", "aGVsbG8=", "/9j/4A==", "QQ"])},
    optional={
        "filename": texts,
        "mimeType": st.sampled_from(["image/png", "text/plain", "application/pdf", "", "odd"]),
    },
)
counts = st.integers(min_value=0, max_value=2**65)

drafts = st.one_of(
    _draft("input", {"text": texts}, {"files": st.lists(files, max_size=2)}),
    _draft("input", {}, {"files": st.lists(files, max_size=2)}),
    _draft("reply", {"text": texts}),
    _draft("reasoning", {"title": texts, "summary": texts}),
    _draft("tool_calls", {"calls": st.lists(calls, max_size=3)}),
    _draft("tool_calls", {"calls": st.lists(calls, min_size=1, max_size=3)}),
    _draft("tool_results", {"results": st.lists(results, max_size=3)}),
    _draft("tool_results", {"results": st.lists(results, min_size=1, max_size=3)}),
    _draft("system", {"text": texts}),
    _draft("log", {"text": texts}),
    _draft(
        "approval_request",
        {"callId": call_ids, "tool": names},
        {"args": json_values, "reason": texts},
    ),
    _draft("approval_response", {"callId": call_ids, "approved": st.booleans()}, {"reason": texts}),
    _draft(
        "worker_spawned",
        {"workerId": call_ids, "objective": texts},
        {"context": texts, "canDelegate": st.booleans(), "maxIterations": counts},
    ),
    _draft("worker_result", {"workerId": call_ids, "output": json_values}),
    _draft(
        "worker_result",
        {"workerId": call_ids, "error": st.fixed_dictionaries({"message": texts})},
    ),
    _draft("llm_request", {}, {"model": texts, "maxTokens": counts, "temperature": st.just(0.7)}),
    _draft(
        "llm_response",
        {},
        {
            "model": texts,
            "finishReason": texts,
            "usage": _optional(
                inputTokens=counts,
                outputTokens=counts,
                totalTokens=counts,
                cachedInputTokens=counts,
                reasoningTokens=counts,
            ),
            "latencyMs": st.just(12.5),
        },
    ),
    _draft("scratchpad", {"text": texts, "mode": st.sampled_from(["append", "replace"])}),
    _draft("runtime_error", {"error": texts}),
    _draft("tick"),
    _draft("shutdown", {}, {"reason": texts}),
    _draft(
        "exit",
        {"reason": st.sampled_from(["complete", "step_limit", "user_request", "error"])},
        {"message": texts},
    ),
    _draft("vendor.thing", {}, {"payload": json_values}),
    _draft(
        "responses.hologram_call", {}, {"payload": json_values | _optional(id=texts, type=texts)}
    ),
    _draft("session.started"),
    _draft("session.cleared"),
    _draft("session.item_deleted", {}, {"payload": _optional(item_id=texts)}),
    _draft(
        "letta.hidden_reasoning_message",
        {},
        {"payload": json_values | _optional(message_type=texts, state=texts, id=json_values)},
    ),
)

_templates = _optional(
    item=json_values | _optional(role=texts, content=json_values, type=texts),
    holes=json_values
    | st.dictionaries(
        st.sampled_from(["", "/content", "/role"]),
        st.sampled_from(["0", "0/text", "1/text", "0/calls/0/=", "9", "x/y", "0/"]),
    ),
    messages=st.integers(-1, 3),
    part=st.integers(-1, 2),
)
_residues = (
    st.none()
    | _templates
    | _optional(
        set=st.dictionaries(
            texts
            | st.sampled_from(
                [
                    "role",
                    "name",
                    "content",
                    "tool_calls",
                    "tool_call_id",
                    "id",
                    "date",
                    "message_type",
                ]
            ),
            json_values,
            max_size=3,
        ),
        unset=st.lists(
            st.sampled_from(["content", "role", "id", "date", "tool_call_id"]), max_size=2
        ),
    )
)
metadata = _optional(
    responseId=st.sampled_from(["r1", "r2"]) | json_values,
    actor=texts,
    wire=json_values
    | st.dictionaries(
        st.sampled_from(["openai", "letta", "openletta", "maria", "responses", "anthropic"]),
        json_values | st.lists(_residues, max_size=2),
        max_size=2,
    ),
)


@st.composite
def histories(draw: st.DrawFn, max_size: int = 12) -> list[Event]:
    """Draw any sequence of messages that policy `record` takes, hostile metadata and all."""
    chosen: Sequence[dict[str, Any]] = draw(st.lists(drafts, max_size=max_size))
    events = [
        event(
            index + 1,
            {**draft, "timestamp": draw(timestamps), "metadata": draw(metadata)},
        )
        for index, draft in enumerate(chosen)
    ]
    if draw(st.integers(0, 9)) == 0:  # what a later version, or another program, may have stored
        odd = draw(st.sampled_from([b"not json", b"[]", b'{"type":"reply","text":5}', b""]))
        version = len(events) + 1
        stray = event(version, {"type": "reply", "text": ""})
        events.append(
            Event("test", version, "reply", odd, stray.message_id, version, stray.recorded_at)
        )
    return events
