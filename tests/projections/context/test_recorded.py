"""Recorded threads: an exchange has the whole request, whatever stands around it."""

from typing import Any

from agentlog.domain.json.text import print_bytes
from agentlog.projections.context.context import context_at
from agentlog.projections.exchanges.exchange import TYPE, Exchange, payload_of
from agentlog.projections.exchanges.lanes import REWRITTEN_TYPE
from agentlog.projections.registry import choose_view
from agentlog.projections.view import render
from tests.histories import history

Draft = dict[str, Any]
FIRST: Draft = {"type": "input", "text": "Old question"}
REPLY: Draft = {"type": "reply", "text": "Old answer"}
REWRITTEN: Draft = {"type": REWRITTEN_TYPE, "payload": {"kept": 0, "leftOut": 2}}
SUMMARY: Draft = {"type": "input", "text": "Summary"}
ANSWER: Draft = {"type": "reply", "text": "Answer"}


def exchange(path: str, **body: Any) -> Draft:
    sent = Exchange(1, "POST", path, print_bytes({"model": "m", **body}), "complete", 0, status=200)
    return {"type": TYPE, "payload": payload_of(sent, "run")}


def items(name: str, *drafts: Draft) -> list[Any]:
    view = choose_view(name, {"messages": "sent"})
    return [placed.item for placed in render(view, history(*drafts)).items]


def test_the_messages_of_a_request_are_the_context_it_was_sent_with() -> None:
    sent = [{"role": "system", "content": "S"}, {"role": "user", "content": "Summary"}]
    asked = exchange("/v1/chat/completions", messages=sent)
    shown = items("openai", FIRST, REPLY, REWRITTEN, SUMMARY, asked, ANSWER)
    assert shown == [*sent, {"role": "assistant", "content": "Answer"}]
    context = context_at(history(FIRST, REPLY, REWRITTEN, SUMMARY, asked, ANSWER))
    assert context.missing == []


def test_the_prompt_beside_the_messages_is_of_the_context() -> None:
    sent = [{"role": "user", "content": [{"type": "text", "text": "Summary"}]}]
    asked = exchange("/v1/messages", system="S", messages=sent)
    prompt, *others = items("anthropic", FIRST, REPLY, asked, ANSWER)
    assert prompt == {"role": "system", "content": "S"}
    assert others[:1] == sent


def test_a_request_that_goes_on_at_the_provider_brings_only_what_is_new() -> None:
    asked = exchange("/v1/responses", input="More", previous_response_id="resp_1")
    more: Draft = {"type": "input", "text": "More"}
    context = context_at(history(FIRST, REPLY, more, asked, ANSWER))
    texts = [getattr(event.message, "text", None) for event in context.events]
    assert [text for text in texts if text] == ["Old question", "Old answer", "More", "Answer"]


def test_a_request_that_left_messages_out_and_is_not_on_record_is_missing() -> None:
    context = context_at(history(FIRST, REPLY, REWRITTEN, SUMMARY))
    assert context.missing == ["which messages the client left out at version 3"]


def test_messages_of_an_edited_fork_follow_what_stands_before_them() -> None:
    def parts(*edits: Draft) -> list[str]:
        source = {"thread": "o", "version": 3, "link": "0" * 64, "edits": [*edits]}
        drafts = [{"type": "thread.forked", "forkedFrom": source}]
        for key, parent in (("a", None), ("c", "b")):
            line = {"uuid": key, "parentUuid": parent}
            beside = {"wire": {"claude-code": [{"set": line}]}}
            drafts.append({"type": "input", "text": key, "metadata": beside})
        texts = (getattr(e.message, "text", None) for e in context_at(history(*drafts)).events)
        return [text for text in texts if text]

    assert parts({"kind": "drop", "version": 2}) == ["a", "c"]
    assert parts() == ["c"]
