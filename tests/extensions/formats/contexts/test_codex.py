"""Codex: the history that `rollout_reconstruction.rs` builds of a rollout."""

from typing import Any

from agentlog.extensions.formats.codex.rollout import FORMAT
from agentlog.projections.context.context import context_at
from agentlog.projections.exchanges.model_call import model_call
from tests.extensions.formats.contexts.reading import events_in, said

Line = dict[str, Any]
ENVIRONMENT = "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"
PROMPT = {"base_instructions": {"text": "Be brief."}}
META: Line = {
    "type": "session_meta",
    "payload": {"id": "r", "timestamp": "2026-06-07T09:00:00.000Z", **PROMPT},
}


def said_by(role: str, text: str) -> Line:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def item(role: str, text: str) -> Line:
    return {"type": "response_item", "payload": said_by(role, text)}


def event(kind: str, **fields: Any) -> Line:
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def compacted(message: str = "", **fields: Any) -> Line:
    return {"type": "compacted", "payload": {"message": message, **fields}}


TURNS = [META, item("developer", "Ask first."), item("user", ENVIRONMENT),
         item("user", "q1"), item("assistant", "a1"), item("user", "q2"),
         item("assistant", "a2")]  # fmt: skip


def test_a_replacement_history_is_the_context_from_there_on() -> None:
    new = [said_by("user", ENVIRONMENT), said_by("user", "q2"), said_by("user", "Summary.")]
    lines = [
        *TURNS,
        compacted(replacement_history=new),
        item("user", "q3"),
        item("assistant", "a3"),
    ]
    events = events_in(FORMAT, lines)
    context = context_at(events)
    assert said(context) == ["Be brief.", ENVIRONMENT, "q2", "Summary.", "q3", "a3"]
    assert {one.cause for one in context.dropped} == {"compaction"}
    assert context.missing == []
    sent = model_call(events, events[-1].version).sent
    assert [one["role"] for one in sent.messages] == ["system", "user", "user", "user", "user"]


def test_without_one_the_users_words_and_the_summary_are() -> None:
    events = events_in(FORMAT, [*TURNS, compacted("Summary."), item("user", "q3")])
    assert said(context_at(events)) == [
        "Be brief.",
        "Ask first.",
        ENVIRONMENT,
        "q1",
        "q2",
        "Summary.",
        "q3",
    ]


def test_a_summary_that_is_encrypted_is_missing() -> None:
    hidden = {"type": "compaction", "encrypted_content": "gAAA"}
    new = [said_by("user", "q2"), hidden]
    context = context_at(events_in(FORMAT, [*TURNS, compacted(replacement_history=new)]))
    assert said(context) == ["Be brief.", "q2"]
    (missing,) = context.missing
    assert "encrypted" in missing


def test_a_rollback_takes_turns_back() -> None:
    for count, left in ((1, ["q1", "a1"]), (2, []), (9, [])):
        lines = [*TURNS, event("thread_rolled_back", num_turns=count), item("user", "q3")]
        context = context_at(events_in(FORMAT, lines))
        assert said(context) == ["Be brief.", "Ask first.", ENVIRONMENT, *left, "q3"]
        assert {one.cause for one in context.dropped} == {"rewind"}


def test_a_rollback_after_a_compaction_takes_back_turns_of_what_it_left() -> None:
    new = [said_by("user", ENVIRONMENT), said_by("user", "q1"), said_by("user", "q2")]
    lines = [*TURNS, compacted(replacement_history=new), event("thread_rolled_back", num_turns=1)]
    context = context_at(events_in(FORMAT, lines))
    assert said(context) == ["Be brief.", ENVIRONMENT, "q1"]


def test_what_codex_writes_is_sent_as_the_users() -> None:
    events = events_in(FORMAT, TURNS)
    sent = model_call(events, events[-1].version).sent
    roles = [one["role"] for one in sent.messages]
    assert roles == ["system", "system", "user", "user", "assistant", "user"]
