"""Each rule has a source, and refuses a conversation that breaks it and no other rule."""

from typing import Any

import pytest

from tests.projections.api_rules import anthropic, chat, responses
from tests.projections.api_rules.findings import SOURCE

HI: Any = {"role": "user", "content": "hi"}


def chat_call(call_id: str = "a", name: str = "f", arguments: str = "{}", **beside: Any) -> Any:
    function = {"name": name, "arguments": arguments}
    call = {"id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call], **beside}


def chat_result(call_id: str = "a", content: Any = "ok") -> Any:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def by(role: str, *blocks: Any) -> Any:
    return {"role": role, "content": [*blocks]}


def text(said: str = "hi", **beside: Any) -> Any:
    return {"type": "text", "text": said, **beside}


def use(call_id: str = "a", name: str = "f", given: Any = None, **beside: Any) -> Any:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given or {}, **beside}


def result(call_id: str = "a") -> Any:
    return {"type": "tool_result", "tool_use_id": call_id}


def source(media: str) -> Any:
    return {"type": "base64", "media_type": media, "data": ""}


THOUGHT: Any = {"type": "thinking", "thinking": "", "signature": "c2ln"}
MARK: Any = {"cache_control": {"type": "ephemeral"}}


def item(kind: str, **fields: Any) -> Any:
    return {"type": kind, **fields}


def function(call_id: str = "a", name: str = "f", arguments: str = "{}", **fields: Any) -> Any:
    called = {"call_id": call_id, "name": name, "arguments": arguments}
    return item("function_call", **called, **fields)


def output(call_id: str = "a", said: Any = "ok") -> Any:
    return item("function_call_output", call_id=call_id, output=said)


APIS: Any = {"openai": chat, "anthropic": anthropic, "responses": responses}
BROKEN: dict[str, dict[str, list[Any]]] = {
    "openai": {
        "role": [{"role": "human", "content": "hi"}],
        "answered": [chat_call(), HI],
        "asked": [HI, chat_result()],
        "unique": [
            chat_call(tool_calls=chat_call()["tool_calls"] * 2),
            chat_result(),
            chat_result(),
        ],
        "id": [chat_call("functions.Bash:0"), chat_result("functions.Bash:0")],
        "name": [chat_call(name="a.b"), chat_result()],
        "participant": [{**HI, "name": "a b"}],
        "arguments": [chat_call(arguments=""), chat_result()],
        "content": [{"role": "user", "content": None}],
        "said": [{"role": "assistant", "content": None}],
        "part": [chat_call(), chat_result(content=[{"type": "image_url", "image_url": {}}])],
        "image": [by("user", {"type": "image_url", "image_url": {"url": "data:image/svg+xml,"}})],
        "file": [by("user", {"type": "file", "file": {"file_data": "data:text/csv;base64,"}})],
        "audio": [by("user", {"type": "input_audio", "input_audio": {"format": "ogg"}})],
    },
    "anthropic": {
        "role": [HI, {"role": "tool", "content": "hi"}],
        "keys": [{**HI, "id": "msg_1"}],
        "block-keys": [by("user", text(x=1))],
        "first": [by("assistant", text())],
        "content": [by("user")],
        "blank": [by("user", text(" \n"))],
        "answered": [HI, by("assistant", use()), HI],
        "asked": [by("user", result())],
        "before": [HI, by("assistant", use()), by("user", text(), result())],
        "unique": [HI, *[by("assistant", use()), by("user", result())] * 2],
        "id": [HI, by("assistant", use("a:0")), by("user", result("a:0"))],
        "server-id": [HI, by("assistant", {**use("a"), "type": "server_tool_use"})],
        "server-asked": [
            HI,
            by("assistant", {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1"}),
        ],
        "name": [HI, by("assistant", use(name="n" * 65)), by("user", result())],
        "input": [HI, by("assistant", use(given="x")), by("user", result())],
        "block": [by("user", {"type": "hologram"})],
        "signature": [HI, by("assistant", {**THOUGHT, "signature": ""}, text())],
        "thought-first": [HI, by("assistant", text(), THOUGHT, text())],
        "thought-last": [HI, by("assistant", THOUGHT)],
        "trailing": [HI, by("assistant", text("so: "))],
        "image": [by("user", {"type": "image", "source": source("image/svg+xml")})],
        "document": [by("user", {"type": "document", "source": source("text/csv")})],
        "marks": [by("user", *[text(**MARK)] * 5)],
        "unmarked": [HI, by("assistant", {**THOUGHT, **MARK}, text())],
    },
    "responses": {
        "kind": [item("hologram")],
        "role": [{"role": "tool", "content": "hi"}],
        "answered": [function(), HI],
        "asked": [output()],
        "unique": [function(), output(), function(), output()],
        "id": [function("x" * 65), output("x" * 65)],
        "name": [function(name="a.b"), output()],
        "arguments": [function(arguments="[]"), output()],
        "item-id": [function(id="fc:1"), output()],
        "prefix": [function(id="call_1"), output()],
        "item-unique": [{**HI, "id": "msg_1"}, {**HI, "id": "msg_1"}],
        "content": [by("user")],
        "part": [by("assistant", {"type": "input_text", "text": "hi"})],
        "reasoning": [item("reasoning", summary=[]), {"role": "assistant", "content": "hi"}],
        "led": [item("reasoning", id="rs_1", summary=[]), HI],
        "output": [function(), output(said={})],
        "image": [by("user", {"type": "input_image", "image_url": "data:image/tiff;base64,"})],
        "file": [by("user", {"type": "input_file", "file_data": "data:a/b;base64,"})],
    },
}


@pytest.mark.parametrize(
    ("api", "name"), [(api, name) for api, rules in BROKEN.items() for name in rules]
)
def test_a_rule_refuses_what_breaks_it_alone(api: str, name: str) -> None:
    broken = {refusal.rule for refusal in APIS[api].refusals(BROKEN[api][name])}
    assert broken == {APIS[api].RULES[name].says}


def test_every_rule_has_a_case_and_a_source() -> None:
    for api, rules in APIS.items():
        assert rules.RULES.keys() == BROKEN[api].keys()
        assert all(SOURCE.fullmatch(rule.source) for rule in rules.RULES.values())


@pytest.mark.parametrize(
    ("api", "items"),
    [
        ("openai", [HI, chat_call(), chat_result(), chat_call()]),
        ("anthropic", [HI, by("assistant", THOUGHT, use()), by("user", result(), text())]),
        ("responses", [HI, function(), HI, output(), function("b")]),
    ],
)
def test_calls_at_the_very_end_may_stay_open(api: str, items: list[Any]) -> None:
    assert APIS[api].refusals(items) == []
