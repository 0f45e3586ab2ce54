"""Contexts of other agents by the rules of their own sources, written by hand."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.extensions.formats import gemini_cli, opencode, pi
from agentlog.extensions.formats.copilot_cli import session as copilot_cli
from agentlog.extensions.formats.qwen_code import session as qwen_code
from agentlog.projections.context.context import context_at
from agentlog.projections.exchanges.model_call import model_call
from tests.extensions.formats.contexts.reading import events_in, said
from tests.histories import examples

Line = dict[str, Any]
AT = "2026-02-03T10:00:00.000Z"
HEADER: Line = {"type": "session", "id": "p", "timestamp": AT, "cwd": "/w", "version": 3}


def entry(key: str, parent: str | None, kind: str = "message", **fields: Any) -> Line:
    return {"type": kind, "id": key, "parentId": parent, "timestamp": AT, **fields}


def says(key: str, parent: str | None, text: str, role: str = "user") -> Line:
    content = [{"type": "text", "text": text}]
    return entry(key, parent, message={"role": role, "content": content, "timestamp": 1})


def compacted(key: str, parent: str, summary: str, first: str) -> Line:
    return entry(key, parent, "compaction", summary=summary, firstKeptEntryId=first, tokensBefore=9)


def pi_context(*lines: Line) -> Any:
    return context_at(events_in(pi.FORMAT, [HEADER, *lines]))


def test_pi_follows_the_branch_of_the_leaf() -> None:
    lines = [says("a", None, "q1"), says("b", "a", "a1", "assistant"), says("c", "b", "wrong"),
             entry("s", "b", "branch_summary", fromId="c", summary="Tried c."),
             says("d", "s", "right")]  # fmt: skip
    context = pi_context(*lines)
    first, second, summary, last = said(context)
    assert (first, second, last) == ("q1", "a1", "right")
    assert "came back from" in summary
    assert "Tried c." in summary
    assert [one.cause for one in context.dropped] == ["branch"]


def test_pi_sends_the_summary_and_what_is_kept_behind_it() -> None:
    lines = [says("a", None, "q1"), says("b", "a", "a1", "assistant"), says("c", "b", "q2"),
             compacted("k", "c", "Sum.", "c"), says("d", "k", "q3")]  # fmt: skip
    summary, *others = said(pi_context(*lines))
    assert "<summary>\nSum.\n</summary>" in summary
    assert others == ["q2", "q3"]


def test_the_last_compaction_of_pi_takes_the_place_of_the_one_before() -> None:
    lines = [says("a", None, "q1"), says("b", "a", "q2"), compacted("k", "b", "One.", "b"),
             says("c", "k", "q3"), compacted("l", "c", "Two.", "c"),
             says("d", "l", "q4")]  # fmt: skip
    summary, *others = said(pi_context(*lines))
    assert "Two." in summary
    assert others == ["q3", "q4"]


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans(), st.integers(0, 30)), max_size=20))
@examples(100)
def test_a_context_of_pi_is_what_its_walk_gives(steps: list[tuple[int, bool, int]]) -> None:
    lines = [says("0", None, "text 0")]
    for n, (back, is_compaction, first) in enumerate(steps, 1):
        parent = lines[-1 - back % len(lines)] if back % 3 == 0 else lines[-1]
        if is_compaction:
            # Pi keeps no more than what stood: its boundary is that of the compaction before
            way = [e for e in _context(_branch(lines, parent["id"])) if e["type"] == "message"]
            way = way or [parent]
            lines.append(compacted(str(n), parent["id"], f"text {n}", way[first % len(way)]["id"]))
        else:
            lines.append(says(str(n), parent["id"], f"text {n}"))
    context = pi_context(*lines)
    assert [text.removesuffix("\n</summary>").split("\n")[-1] for text in said(context)] == [
        f"text {one['id']}" for one in _context(_branch(lines, lines[-1]["id"]))
    ]


def _branch(lines: list[Line], leaf: str | None) -> list[Line]:
    by_id = {one["id"]: one for one in lines}
    way: list[Line] = []
    while leaf is not None:
        way.insert(0, by_id[leaf])
        leaf = by_id[leaf]["parentId"]
    return way


def _context(way: list[Line]) -> list[Line]:
    """Return entries as `buildSessionContext` takes them."""
    places = [n for n, one in enumerate(way) if one["type"] == "compaction"]
    if not places:
        return way
    last = places[-1]
    ids = [one["id"] for one in way]
    kept = way[ids.index(way[last]["firstKeptEntryId"]) : last]
    return [way[last], *(one for one in kept if one["type"] == "message"), *way[last + 1 :]]


GEMINI: Line = {"sessionId": "g", "projectHash": "h", "startTime": AT, "lastUpdated": AT}


def gemini(key: str, text: str, kind: str = "user") -> Line:
    return {"id": key, "timestamp": AT, "type": kind, "content": text}


def gemini_uuid(n: int) -> str:
    return f"aa000000-0000-4000-8000-{n:012d}"


def test_gemini_cli_takes_a_message_back_and_all_after_it() -> None:
    for name in (str, gemini_uuid):
        lines = [GEMINI, gemini(name(1), "q1"), gemini(name(2), "a1", "gemini"),
                 gemini(name(3), "wrong"), gemini(name(4), "a2", "gemini"),
                 {"$rewindTo": name(3)}, gemini(name(5), "right")]  # fmt: skip
        context = context_at(events_in(gemini_cli.FORMAT, lines))
        assert said(context) == ["q1", "a1", "right"]
        assert [one.cause for one in context.dropped] == ["rewind", "rewind"]


def test_gemini_cli_takes_all_back_where_the_message_is_not_there() -> None:
    lines = [GEMINI, gemini("1", "q1"), {"$rewindTo": "9"}, gemini("2", "q2")]
    assert said(context_at(events_in(gemini_cli.FORMAT, lines))) == ["q2"]


def test_gemini_cli_goes_on_from_the_messages_that_are_set() -> None:
    for name in (str, gemini_uuid):
        new = [gemini(name(9), "<state_snapshot>"), gemini(name(2), "a1", "gemini")]
        lines = [GEMINI, gemini(name(1), "q1"), gemini(name(2), "a1", "gemini"),
                 {"$set": {"messages": new}}, gemini(name(3), "q2")]  # fmt: skip
        context = context_at(events_in(gemini_cli.FORMAT, lines))
        assert said(context) == ["<state_snapshot>", "a1", "q2"]


def gemini_called(key: str, call: str, *, status: str = "success") -> Line:
    response = {"id": call, "name": "run", "response": {"output": "ok"}}
    asked = {"id": call, "name": "run", "args": {}, "status": status,
             "result": [{"functionResponse": response}]}  # fmt: skip
    return {**gemini(key, "", "gemini"), "toolCalls": [asked]}


def gemini_answered(key: str, call: str) -> Line:
    response = {"id": call, "name": "run", "response": {"output": "ok"}}
    return {**gemini(key, ""), "content": [{"functionResponse": response}]}


def test_a_resumed_session_of_gemini_cli_has_each_message_again() -> None:
    # as 0.61.0 writes it: first the context of the session alone, then all of it
    start = gemini(gemini_uuid(1), "<session_context>")
    call = gemini_called(gemini_uuid(3), "run__0")
    copy = {**gemini(gemini_uuid(3), "", "gemini"),
            "content": [{"functionCall": {"id": "run__0", "name": "run", "args": {}}}]}  # fmt: skip
    again = gemini_answered(f"{gemini_uuid(3)}_response", "run__0")
    lines = [GEMINI, {"$set": {"messages": [start]}}, gemini(gemini_uuid(2), "q1"),
             gemini(gemini_uuid(3), "", "gemini"), call, gemini_answered(gemini_uuid(4), "run__0"),
             gemini(gemini_uuid(5), "a1", "gemini"), GEMINI, {"$set": {"messages": [start]}},
             {"$set": {"messages": [start, gemini(gemini_uuid(2), "q1"), copy, again,
                                    gemini_answered(gemini_uuid(4), "run__0"),
                                    gemini(gemini_uuid(5), "a1", "gemini")]}},
             gemini(gemini_uuid(6), "q2")]  # fmt: skip
    context = context_at(events_in(gemini_cli.FORMAT, lines))
    said_first = ["<session_context>", "q1", "call run__0", "result run__0", "a1"]
    assert said(context) == [*said_first, "q2"]
    assert context.dropped == []
    back = [*lines, {"$rewindTo": gemini_uuid(5)}, gemini(gemini_uuid(7), "q3")]
    assert said(context_at(events_in(gemini_cli.FORMAT, back))) == [*said_first[:-1], "q3"]


def test_a_result_of_gemini_cli_stands_after_a_history_with_its_call_alone() -> None:
    copy = {**gemini(gemini_uuid(9), "", "gemini"),
            "content": [{"functionCall": {"id": "run__0", "name": "run", "args": {}}}]}  # fmt: skip
    new = [gemini(gemini_uuid(8), "<state_snapshot>"), copy]
    lines = [GEMINI, gemini(gemini_uuid(2), "q1"), gemini_called(gemini_uuid(3), "run__0"),
             {"$set": {"messages": new}}, gemini_answered(gemini_uuid(4), "run__0"),
             gemini(gemini_uuid(5), "a1", "gemini")]  # fmt: skip
    context = context_at(events_in(gemini_cli.FORMAT, lines))
    assert said(context) == ["<state_snapshot>", "call run__0", "result run__0", "a1"]
    again = [
        *new,
        gemini_answered(gemini_uuid(4), "run__0"),
        gemini(gemini_uuid(5), "a1", "gemini"),
    ]
    lines += [GEMINI, {"$set": {"messages": again}}, gemini(gemini_uuid(6), "q2")]
    context = context_at(events_in(gemini_cli.FORMAT, lines))
    assert said(context) == ["<state_snapshot>", "call run__0", "result run__0", "a1", "q2"]


def opencode_message(key: str, role: str, *parts: Line, **info: Any) -> Line:
    named = [{"id": f"{key}.{n}", "messageID": key, **part} for n, part in enumerate(parts)]
    return {"info": {"id": key, "role": role, **info}, "parts": named}


def text(value: str) -> Line:
    return {"type": "text", "text": value}


def opencode_session(*messages: Line, **info: Any) -> Line:
    return {"info": {"id": "ses", "directory": "/w", **info}, "messages": [*messages]}


def compaction_of_opencode(**fields: Any) -> list[Line]:
    return [
        opencode_message("m1", "user", text("q1")),
        opencode_message("m2", "assistant", text("a1"), finish="stop"),
        opencode_message("m3", "user", text("q2")),
        opencode_message("m4", "user", {"type": "compaction", "auto": True, **fields}),
        opencode_message(
            "m5", "assistant", text("Sum."), summary=True, parentID="m4", finish="stop"
        ),
        opencode_message("m6", "user", text("q3")),
    ]  # fmt: skip


def test_opencode_sends_the_summary_and_the_tail() -> None:
    events = events_in(opencode.FORMAT, opencode_session(*compaction_of_opencode()))
    assert said(context_at(events)) == ["What did we do so far?", "Sum.", "q3"]
    tail = opencode_session(*compaction_of_opencode(tail_start_id="m3"))
    context = context_at(events_in(opencode.FORMAT, tail))
    assert said(context) == ["What did we do so far?", "Sum.", "q2", "q3"]
    roles = [one["role"] for one in model_call(events, events[-1].version).sent.messages]
    assert roles == ["user", "assistant", "user"]


def test_a_summary_of_opencode_that_is_not_finished_leaves_all() -> None:
    messages = compaction_of_opencode()
    del messages[4]["info"]["finish"]
    context = context_at(events_in(opencode.FORMAT, opencode_session(*messages)))
    assert said(context)[:3] == ["q1", "a1", "q2"]


def test_a_revert_of_opencode_takes_messages_back() -> None:
    session = opencode_session(*compaction_of_opencode()[:3], revert={"messageID": "m3"})
    assert said(context_at(events_in(opencode.FORMAT, session))) == ["q1", "a1"]


def opencode_tool(call: str, **state: Any) -> Line:
    done = {"status": "completed", "input": {}, "output": "long", **state}
    return {"type": "tool", "callID": call, "tool": "bash", "state": done}


def test_calls_of_one_answer_of_opencode_stand_before_their_results() -> None:
    answer = opencode_message("m2", "assistant", opencode_tool("c1"), opencode_tool("c2"))
    session = opencode_session(opencode_message("m1", "user", text("q1")), answer)
    context = context_at(events_in(opencode.FORMAT, session))
    assert said(context) == ["q1", "call c1", "call c2", "result c1", "result c2"]


def test_what_opencode_writes_is_sent_as_the_users() -> None:
    made = {**text("Continue if you have next steps."), "synthetic": True}
    events = events_in(opencode.FORMAT, opencode_session(opencode_message("m1", "user", made)))
    assert [one["role"] for one in model_call(events, 1).sent.messages] == ["user"]


def test_results_that_opencode_cleared_are_sent_without_their_output() -> None:
    at = {"start": 1, "end": 2, "compacted": 50}
    session = opencode_session(
        opencode_message("m1", "user", text("q1"), time={"created": 1}),
        opencode_message("m2", "assistant", opencode_tool("c1", time=at), time={"created": 2}),
        opencode_message("m3", "user", text("q2"), time={"created": 40}),
        opencode_message("m4", "user", text("q3"), time={"created": 60}),
    )
    events = events_in(opencode.FORMAT, session)
    outputs = {
        said(context)[-1]: [e.message.results[0].output for e in context.events
                            if e.type == "tool_results"]
        for context in (context_at(events, version) for version in range(4, len(events) + 1))
    }  # fmt: skip
    assert outputs["q2"] == ["long"]
    assert outputs["q3"] == ["[Old tool result content cleared]"]


def copilot(n: int, kind: str, **data: Any) -> Line:
    return {"type": kind, "data": data, "id": gemini_uuid(n), "parentId": None, "timestamp": AT}


def copilot_context(*lines: Line) -> Any:
    return context_at(events_in(copilot_cli.FORMAT, [*lines]))


def test_copilot_cli_sends_what_it_made_of_the_users_words() -> None:
    lines = [copilot(1, "system.message", role="system", content="sys"),
             copilot(2, "user.message", content="q1", transformedContent="<at/>q1"),
             copilot(3, "assistant.message", messageId="m", content="a1")]  # fmt: skip
    assert said(copilot_context(*lines)) == ["sys", "<at/>q1", "a1"]


def test_copilot_cli_goes_on_from_a_summary_and_its_prompt() -> None:
    done = {"success": True, "preCompactionTokens": 9, "preCompactionMessagesLength": 3}
    lines = [copilot(1, "system.message", role="system", content="sys"),
             copilot(2, "user.message", content="q1"),
             copilot(3, "assistant.message", messageId="m", content="a1"),
             copilot(4, "session.compaction_complete", summaryContent="sum", messagesRemoved=2,
                     **done),
             copilot(5, "user.message", content="q2")]  # fmt: skip
    context = copilot_context(*lines)
    assert said(context) == ["sys", "sum", "q2"]
    assert [one.cause for one in context.dropped] == ["compaction", "compaction"]
    assert context.missing == ["1 messages that a compaction kept"]


def test_copilot_cli_takes_an_event_back_and_all_after_it() -> None:
    lines = [copilot(1, "user.message", content="q1"), copilot(2, "user.message", content="wrong"),
             copilot(3, "assistant.message", messageId="m", content="a"),
             copilot(4, "session.snapshot_rewind", upToEventId=gemini_uuid(2), eventsRemoved=2),
             copilot(5, "user.message", content="right")]  # fmt: skip
    assert said(copilot_context(*lines)) == ["q1", "right"]
    cleared = [*lines, copilot(6, "session.context_cleared", messagesCleared=2)]
    assert said(copilot_context(*cleared)) == []


def qwen(key: str, parent: str | None, kind: str, text: str = "", **fields: Any) -> Line:
    role = "model" if kind == "assistant" else "user"
    content = {"message": {"role": role, "parts": [{"text": text}]}} if text else {}
    line = {"uuid": key, "parentUuid": parent, "sessionId": "q", "timestamp": AT, "type": kind}
    return {**line, **content, **fields}


def qwen_context(*lines: Line) -> Any:
    return context_at(events_in(qwen_code.FORMAT, [*lines]))


def test_qwen_code_follows_the_branch_of_the_last_line() -> None:
    for name in (str, gemini_uuid):
        lines = [qwen(name(1), None, "user", "q1"), qwen(name(2), name(1), "assistant", "a1"),
                 qwen(name(3), name(2), "user", "wrong"),
                 qwen(name(4), name(2), "system", subtype="rewind", systemPayload={}),
                 qwen(name(5), name(4), "user", "right")]  # fmt: skip
        context = qwen_context(*lines)
        assert said(context) == ["q1", "a1", "right"]
        assert [one.cause for one in context.dropped] == ["branch"]


def test_qwen_code_goes_on_from_what_it_compressed() -> None:
    compressed = [{"role": "user", "parts": [{"text": "sum"}]},
                  {"role": "model", "parts": [{"text": "ok"}]}]  # fmt: skip
    lines = [qwen("1", None, "user", "q1"), qwen("2", "1", "assistant", "a1"),
             qwen("3", "2", "system", subtype="chat_compression",
                  systemPayload={"info": {}, "compressedHistory": compressed}),
             qwen("4", "3", "user", "a task ended", subtype="notification")]  # fmt: skip
    assert said(qwen_context(*lines)) == ["sum", "ok", "a task ended"]
