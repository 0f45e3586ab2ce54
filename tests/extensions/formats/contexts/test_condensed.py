"""OpenHands, ADK, Letta and Cline: contexts by the rules of their sources, written by hand."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.extensions.formats import adk, cline
from agentlog.extensions.formats.letta import agent_file
from agentlog.extensions.formats.openhands import conversation, version_0
from agentlog.projections.context.context import context_at
from tests.extensions.formats.contexts.reading import events_in, said
from tests.histories import examples

Line = dict[str, Any]


def uuid(n: int) -> str:
    return f"0f000000-0000-4000-8000-{n:012d}"


def openhands(n: int, kind: str, **fields: Any) -> Line:
    return {"kind": kind, "id": uuid(n), "timestamp": f"2026-03-04T10:00:{n % 60:02d}", **fields}


def message(n: int, text: str, source: str = "user") -> Line:
    content = [{"type": "text", "text": text, "cache_prompt": False}]
    role = "user" if source == "user" else "assistant"
    answer = {} if source == "user" else {"llm_response_id": f"r{n}"}
    llm = {"role": role, "content": content}
    return openhands(n, "MessageEvent", source=source, llm_message=llm, **answer)


def condensation(n: int, forgotten: list[str], summary: str | None, offset: int | None) -> Line:
    return openhands(n, "Condensation", source="environment", llm_response_id=f"r{n}",
                     forgotten_event_ids=forgotten, summary=summary,
                     summary_offset=offset)  # fmt: skip


def test_openhands_goes_on_from_the_event_that_is_named() -> None:
    left = [
        {**message(1, "q1"), "sender": "parent"},
        message(2, "a1", "agent"),
        message(3, "wrong"),
    ]
    right = {**message(4, "right"), "parent_id": uuid(2)}
    context = context_at(events_in(conversation.FORMAT, [*left, right]))
    assert said(context) == ["q1", "a1", "right"]
    anew = {**message(4, "anew"), "parent_id": "__root__"}
    assert said(context_at(events_in(conversation.FORMAT, [*left, anew]))) == ["anew"]


@st.composite
def conversations(draw: st.DrawFn) -> tuple[list[Line], list[str]]:
    """Draw events with condensations, and what `View.from_events` leaves of them."""
    events: list[Line] = [message(0, "text 0")]
    view: list[tuple[str, str]] = [(uuid(0), "text 0")]
    for n in range(1, draw(st.integers(1, 12))):
        if draw(st.integers(0, 3)) == 0:
            forgotten = [own for own, _ in view if draw(st.booleans())]
            offset = draw(st.none() | st.integers(0, len(view) - len(forgotten)))
            events.append(condensation(n, forgotten, f"text {n}", offset))
            view = [one for one in view if one[0] not in forgotten]
            if offset is not None:
                view.insert(offset, (f"{uuid(n)}-summary", f"text {n}"))
        else:
            events.append(message(n, f"text {n}", draw(st.sampled_from(["user", "agent"]))))
            view.append((uuid(n), f"text {n}"))
    return events, [text for _, text in view]


@given(conversations())
@examples(100)
def test_openhands_sends_what_condensations_leave(drawn: tuple[list[Line], list[str]]) -> None:
    events, view = drawn
    context = context_at(events_in(conversation.FORMAT, events))
    assert said(context) == view
    assert context.missing == []


def test_openhands_before_version_1_forgets_a_range() -> None:
    def old(n: int, source: str, action: str, **args: Any) -> Line:
        return {"id": n, "timestamp": "2025-03-04T10:00:00", "source": source, "message": "",
                "action": action, "args": args}  # fmt: skip

    events = [old(n, "user" if n % 2 else "agent", "message", content=f"text {n}")
              for n in range(1, 5)]  # fmt: skip
    forget = {"forgotten_events_start_id": 2, "forgotten_events_end_id": 3,
              "summary": "Sum.", "summary_offset": 1}  # fmt: skip
    lines = [*events, old(5, "agent", "condensation", **forget),
             old(6, "user", "message", content="on")]  # fmt: skip
    assert said(context_at(events_in(version_0.FORMAT, lines))) == [
        "text 1",
        "Sum.",
        "text 4",
        "on",
    ]


def adk_event(n: int, invocation: str, text: str | None, **actions: Any) -> Line:
    content = {} if text is None else {"content": {"role": "user", "parts": [{"text": text}]}}
    return {"id": uuid(n), "timestamp": float(n), "invocationId": invocation, "author": "user",
            "actions": actions, **content}  # fmt: skip


def adk_compaction(n: int, start: float, end: float) -> Line:
    content = {"role": "model", "parts": [{"text": f"sum {n}"}]}
    told = {"startTimestamp": start, "endTimestamp": end, "compactedContent": content}
    return adk_event(n, f"c{n}", None, compaction=told)


def test_adk_takes_an_invocation_back_and_all_after_it() -> None:
    events = [adk_event(1, "i1", "q1"), adk_event(2, "i2", "q2"), adk_compaction(3, 1, 2),
              adk_event(4, "i3", "q3")]  # fmt: skip
    assert said(context_at(events_in(adk.FORMAT, events))) == ["sum 3", "q3"]
    rewound = [*events, adk_event(5, "i4", None, rewindBeforeInvocationId="i2"),
               adk_event(6, "i5", "q4")]  # fmt: skip
    context = context_at(events_in(adk.FORMAT, rewound))
    assert said(context) == ["q1", "q4"]
    assert {one.cause for one in context.dropped} == {"compaction", "rewind"}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.integers(0, 9)), max_size=12))
@examples(100)
def test_adk_sends_what_its_rewinds_and_compactions_leave(
    steps: list[tuple[int, int, int]],
) -> None:
    events = [adk_event(0, "i0", "text 0")]
    for n, (kind, first, last) in enumerate(steps, 1):
        if kind == 0:
            events.append(adk_event(n, f"i{n}", None, rewindBeforeInvocationId=f"i{first % n}"))
        elif kind == 1:
            start, end = sorted((first % n, last % n))
            events.append(adk_compaction(n, float(start), float(end)))
        else:
            events.append(adk_event(n, f"i{n}", f"text {n}"))
    assert said(context_at(events_in(adk.FORMAT, events))) == _of_adk(events)


def _of_adk(events: list[Line]) -> list[str]:
    alive = [*events]
    while rewinds := [n for n, one in enumerate(alive) if _REWIND in one["actions"]]:
        last = rewinds[-1]
        target = alive[last]["actions"][_REWIND]
        begins = [n for n, one in enumerate(events) if one["invocationId"] == target]
        later = events[begins[0] :] if begins else []
        begin = min([n for n, one in enumerate(alive) if one in later] or [last])
        alive = alive[: min(begin, last)] + alive[last + 1 :]
    spans = [
        (told["startTimestamp"], told["endTimestamp"], n)
        for n, one in enumerate(alive)
        if (told := one["actions"].get("compaction"))
    ]
    kept = [
        (a, b, n)
        for a, b, n in spans
        if not any(c <= a and b <= d and ((c, d) != (a, b) or m > n) for c, d, m in spans)
    ]
    told = [(b, n, f"sum {int(alive[n]['timestamp'])}") for _, b, n in kept]
    for n, one in enumerate(alive):
        at = one["timestamp"]
        if "content" in one and not any(a <= at <= b for a, b, _ in kept):
            told.append((at, n, one["content"]["parts"][0]["text"]))
    return [text for _, _, text in sorted(told)]


_REWIND = "rewindBeforeInvocationId"


def letta(n: int, role: str, text: str) -> Line:
    return {"id": f"message-{n}", "role": role, "created_at": f"2026-03-04T10:00:{n:02d}Z",
            "content": [{"type": "text", "text": text}]}  # fmt: skip


def test_letta_sends_what_its_file_says_is_in_context() -> None:
    messages = [letta(0, "system", "S"), letta(1, "user", "q1"), letta(2, "assistant", "a1"),
                letta(3, "summary", "Sum."), letta(4, "user", "q2")]  # fmt: skip
    agent = {"id": "a", "name": "n", "agent_type": "letta_v1_agent", "messages": messages,
             "in_context_message_ids": ["message-0", "message-3", "message-4"],
             "block_ids": []}  # fmt: skip
    file = {"agents": [agent], "blocks": [], "groups": [], "sources": []}
    context = context_at(events_in(agent_file.FORMAT, file))
    assert said(context) == ["S", "Sum.", "q2"]
    nameless = [{key: value for key, value in one.items() if key != "id"} for one in messages]
    first = {"agent_type": "memgpt_agent", "messages": nameless, "core_memory": [],
             "in_context_message_indices": [0, 4]}  # fmt: skip
    assert said(context_at(events_in(agent_file.FORMAT, first))) == ["S", "q2"]


def test_cline_sends_what_it_did_not_cut_off() -> None:
    roles = ["user", "assistant"] * 3 + ["user"]
    said_so_far = [{"role": role, "content": [{"type": "text", "text": f"text {n}"}]}
                   for n, role in enumerate(roles)]  # fmt: skip

    def request(n: int, **fields: Any) -> Line:
        return {"ts": n, "type": "say", "say": "api_req_started", "text": "{}",
                "conversationHistoryIndex": n, **fields}  # fmt: skip

    page = [request(-1), request(1), request(3, conversationHistoryDeletedRange=[2, 3]),
            request(5, conversationHistoryDeletedRange=[2, 5])]  # fmt: skip
    document = {"api_conversation_history": said_so_far, "ui_messages": page}
    events = events_in(cline.FORMAT, document)
    at = {said(context_at(events, event.version))[-1]: context_at(events, event.version)
          for event in events if said(context_at(events, event.version))}  # fmt: skip
    assert said(at["text 3"]) == ["text 0", "text 1", "text 2", "text 3"]
    assert said(at["text 5"]) == ["text 0", "text 1", "text 4", "text 5"]
    assert said(at["text 6"]) == ["text 0", "text 1", "text 6"]
    assert {one.cause for one in at["text 6"].dropped} == {"truncation"}
    assert at["text 3"].missing == []
    assert "wrote over" in at["text 6"].missing[0]
