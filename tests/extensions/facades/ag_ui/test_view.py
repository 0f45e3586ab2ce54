"""The view `ag-ui`: one message each, in the shapes of the protocol's version 1.0."""

from typing import Any

from agentlog.extensions.facades.ag_ui.view import AgUiView, interrupts
from agentlog.projections.view import render
from tests.histories import history


def shown(*drafts: dict[str, Any]) -> list[Any]:
    return [placed.item for placed in render(AgUiView(), history(*drafts)).items]


def test_messages_have_the_shapes_of_the_protocol() -> None:
    files = [{"data": "QUJD", "mimeType": "image/png"}, {"data": "QUJD", "mimeType": "text/plain"}]
    items = shown(
        {"type": "system", "text": "Be kind."},
        {"type": "input", "text": "Look.", "files": files},
        {"type": "reasoning", "title": "", "summary": "I look."},
        {"type": "tool_calls", "calls": [{"id": "a", "name": "f", "args": {"n": 1}}]},
        {
            "type": "tool_results",
            "results": [{"callId": "a", "output": {"n": 2}}, {"output": None, "error": "lost"}],
        },
        {"type": "reply", "text": "Done."},
        {"type": "log", "text": "nothing to see"},
    )
    ids = [item.pop("id") for item in items]
    assert len(set(ids)) == len(ids) == 7
    source = {"type": "data", "value": "QUJD", "mimeType": "image/png"}
    function = {"name": "f", "arguments": '{"n":1}'}
    assert items == [
        {"role": "system", "content": "Be kind."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look."},
                {"type": "image", "source": source},
                {"type": "text", "text": "ABC"},
            ],
        },
        {"role": "reasoning", "content": "I look."},
        {
            "role": "assistant",
            "toolCalls": [{"id": "a", "type": "function", "function": function}],
        },
        {"role": "tool", "content": '{"n":2}', "toolCallId": "a"},
        {
            "role": "tool",
            "content": "null",
            "toolCallId": items[5]["toolCallId"],
            "error": "lost",
        },
        {"role": "assistant", "content": "Done."},
    ]


def test_an_approval_waits_until_it_is_answered_or_nobody_waits() -> None:
    def waiting(*drafts: dict[str, Any]) -> list[Any]:
        return [item["toolCallId"] for item in interrupts(history(*drafts))]

    asked = [{"type": "approval_request", "callId": id_, "tool": "pay"} for id_ in "aba"]
    answered = {"type": "approval_response", "callId": "b", "approved": False}
    assert waiting(*asked) == ["b", "a"]
    assert waiting(*asked, answered) == ["a"]
    assert waiting(*asked, answered, {"type": "exit", "reason": "complete"}) == []
    assert waiting(*asked[:1], {"type": "thread.closed"}) == []
    assert waiting(*asked[:1], {"type": "exit", "reason": "error"}, *asked[1:2]) == ["b"]
