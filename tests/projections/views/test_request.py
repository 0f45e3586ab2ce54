"""What a model is asked with beside its messages, from each source that tells it."""

from typing import Any

from agentlog.domain.events import Event
from agentlog.projections.readers.registry import choose_format
from agentlog.projections.view import Item, render
from agentlog.projections.views.request import RequestView
from tests.histories import event, history

TOOLS = [{"type": "function", "function": {"name": "track", "parameters": {}}}]
VIEW = RequestView()
NOTHING = {"model": None, "tools": None, "parameters": None}


def _request(events: list[Event]) -> Item:
    return VIEW.state(render(VIEW, events).carry)


def _imported(name: str, document: dict[str, Any]) -> Item:
    (read,) = choose_format(name).read(document)
    started = {"type": "thread.started", "metadata": dict(read.metadata)}
    return _request(history(started, *read.drafts))


def test_what_is_not_on_record_is_null() -> None:
    assert _request([]) == NOTHING
    odd: list[Any] = [None, [], "x", {"temperature": None, "messages": [1]}]
    assert _request(history(*({"type": "a.request", "payload": value} for value in odd))) == NOTHING


def test_metadata_tells_of_tools_and_model_and_takes_them_back() -> None:
    started = {"type": "thread.started", "metadata": {"tools": TOOLS, "model": "m", "stop": 1}}
    annotated = {"type": "thread.annotated", "metadata": {"tools": None, "temperature": 0.5}}
    assert _request(history(started)) == {"model": "m", "tools": TOOLS, "parameters": None}
    assert _request(history(started, annotated)) == {
        "model": "m",
        "tools": None,
        "parameters": {"temperature": 0.5},
    }


def test_the_last_request_counts_whole_over_the_metadata() -> None:
    events = history(
        {"type": "thread.started", "metadata": {"tools": TOOLS, "model": "general"}},
        {"type": "llm_request", "model": "m", "maxTokens": 9, "responseFormat": {"type": "text"}},
        {"type": "llm_request", "temperature": 0},
    )
    parameters = {"max_tokens": 9, "response_format": {"type": "text"}}
    assert _request(events[:2]) == {"model": "m", "tools": TOOLS, "parameters": parameters}
    last = {"model": "general", "tools": TOOLS, "parameters": {"temperature": 0}}
    assert _request(events) == last


def test_requests_that_imports_keep_are_read() -> None:
    says: Item = {"model": "m", "temperature": 0.2, "tools": TOOLS}
    expected = {"model": "m", "tools": TOOLS, "parameters": {"temperature": 0.2}}
    messages = [{"role": "user", "content": "Where is it?"}]
    assert _imported("anthropic", {**says, "messages": messages}) == expected
    assert _imported("anthropic", {**says, "system": "Be kind.", "messages": messages}) == expected
    assert _imported("responses", {**says, "input": messages}) == expected
    rest = event(2, {"type": "openai.record", "payload": {"model": "m", "temperature": 0.2}})
    started = event(1, {"type": "thread.started", "metadata": {"tools": TOOLS}})
    assert _request([started, rest]) == expected
