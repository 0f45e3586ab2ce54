"""The OpenAI reader: nothing of a history is lost, and a bad item is named."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes, print_text
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import Unmapped
from agentlog.projections.readers.messages.chat import READER
from agentlog.projections.view import Item, render
from agentlog.projections.views.openai import OpenAIOptions, OpenAIView
from tests.airline import airline_runs
from tests.histories import event, texts
from tests.projections.chat_api import check_types, why_unsafe


def _imported(items: Iterable[JsonValue]) -> list[Event]:
    return [event(n + 1, draft) for n, draft in enumerate(READER.read(items))]


def _shown(events: Iterable[Event], **options: bool) -> list[Item]:
    return [placed.item for placed in render(OpenAIView(OpenAIOptions(**options)), events).items]


def _round_trip(items: Iterable[JsonValue], *, repair: bool = False) -> list[Item]:
    return _shown(_imported(items), foreign=True, repair=repair)


def _same(one: object, other: object) -> bool:
    return print_bytes(one, sort_keys=True) == print_bytes(other, sort_keys=True)


def _call(arguments: str, call_id: str = "a", name: str = "find", **extra: object) -> Item:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function, **extra}


def _turn(*calls: Item, **fields: object) -> Item:
    return {"role": "assistant", "tool_calls": list(calls), **fields}


def _function(name: str, arguments: str) -> Item:
    return {"name": name, "arguments": arguments}


DATA_URI = "data:image/png;base64,QUJD"
EXAMPLES: dict[str, list[Item]] = {
    "system": [{"role": "system", "content": "Be kind."}],
    "system parts": [{"role": "system", "content": [{"type": "text", "text": "Be kind."}]}],
    "developer": [{"role": "developer", "content": "Be kind.", "name": "dev"}],
    "user": [{"role": "user", "content": "hello"}],
    "name on user": [{"role": "user", "content": "hello", "name": "ann"}],
    "empty user": [{"role": "user", "content": ""}],
    "several texts": [
        {"role": "user", "content": [{"type": "text", "text": t} for t in ("a", "", "b")]}
    ],
    "no parts": [{"role": "user", "content": []}],
    "image in place": [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": DATA_URI}}]}
    ],
    "image with detail": [
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": DATA_URI, "detail": "low"}},
                {"type": "text", "text": "what is it?"},
            ],
        }
    ],
    "remote image": [
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}],
        }
    ],
    "odd data URIs": [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": uri}}]}
        for uri in (
            "data:,plain",
            "data:image/png;base64,a=b",
            "data:image/png;base64,QU JD",
            "data:image/png;charset=x;base64,QUJD",
            "data:;base64,QUJD",
            "data:text/plain;base64,aGk=",
            "data:image/png;base64,QU\r\nJD\n",
        )
    ],
    "files": [
        {
            "role": "user",
            "content": [
                {"type": "file", "file": {"file_data": "data:application/pdf;base64,QUJD"}},
                {"type": "file", "file": {"file_data": "data:a/b;base64,QQ", "filename": "x"}},
                {"type": "file", "file": {"file_id": "file-1"}},
            ],
        }
    ],
    "audio": [
        {
            "role": "user",
            "content": [{"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}}],
        }
    ],
    "assistant": [{"role": "assistant", "content": "hi"}],
    "empty content": [{"role": "assistant", "content": ""}],
    "null content": [{"role": "assistant", "content": None}],
    "no content": [{"role": "assistant"}],
    "null and empty calls": [
        {"role": "assistant", "content": "hi", "tool_calls": None},
        {"role": "assistant", "content": "hi", "tool_calls": []},
    ],
    "refusal": [
        {"role": "assistant", "content": None, "refusal": "I cannot."},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
        {"role": "assistant", "content": "hi", "refusal": None},
    ],
    "calls without, with null and with empty content": [
        _turn(_call("{}")),
        _turn(_call("{}"), content=None),
        _turn(_call("{}"), content=""),
    ],
    "text and calls": [_turn(_call('{"q":1}', "a"), _call("{}", "b"), content="wait")],
    "arguments as written": [
        _turn(*(_call(arguments, f"c{n}") for n, arguments in enumerate(written)), content=None)
        for written in (
            ("", "null", "{ }", '{"a": 1}', '{"a":1.10}', "{}", '{"a":1}\n'),
            ('{"broken": ', "plain words", '{"a":1,"a":2}', "NaN", "1e400", '"\\u0000"', "-0"),
            (f'{{"n":{10**30}}}', '{"n":1e5}', '{"u":"\\u00e9"}', '{"u":"é"}', "\ufeff{}"),
        )
    ],
    "one id twice": [
        _turn(_call("{}", "a"), _call('{"n":1}', "a"), content=None),
        {"role": "tool", "content": "1", "tool_call_id": "a"},
        {"role": "tool", "content": "2", "tool_call_id": "a"},
    ],
    "custom call": [
        _turn({"id": "a", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}})
    ],
    "unknown keys": [
        _turn(_call("{}", index=0), content="x", annotations=[], audio=None),
        {"role": "user", "content": "x", "cache_control": {"type": "ephemeral", "n": 10**30}},
    ],
    "odd parts and calls": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look", "cache_control": {"type": "ephemeral"}},
                {"type": "image_url", "image_url": {"url": DATA_URI, "detail": "tiny"}},
                {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "n": 1}},
            ],
        },
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]},
        _turn(_call("{}", index=0), content=[{"type": "thinking", "thinking": "hm"}]),
        _turn({"id": "b", "function": {"name": "find", "arguments": "{}"}}),
    ],
    "tool": [
        {"role": "tool", "content": "ok", "tool_call_id": "a"},
        {"role": "tool", "content": "ok", "tool_call_id": "a", "name": "find"},
        {"role": "tool", "content": "ok", "tool_call_id": "a", "name": None},
        {"role": "tool", "content": [{"type": "text", "text": "ok"}], "tool_call_id": "a"},
        {"role": "tool", "content": '{"a": 1}', "tool_call_id": "a"},
        {"role": "tool", "content": None, "tool_call_id": "a"},
        {"role": "tool", "tool_call_id": "a"},
    ],
    "of an agent": [
        {"role": "user", "content": None, "name": None, "agent": "main"},
        {"role": "assistant", "content": "x", "thought": "y", "usage": {"n": 1}, "created_at": 5},
        {"role": "assistant", "content": None, "tool_call_id": "a", "tool_calls": None},
    ],
    "functions, before tools": [
        {"role": "assistant", "content": None, "function_call": _function("f", '{"n": 1}')},
        {"role": "function", "name": "f", "content": "1"},
        {"role": "assistant", "content": "and", "function_call": _function("g", "{}")},
        {"role": "function", "name": "g", "content": None},
        {"role": "assistant", "function_call": _function("g", "none")},
        {"role": "function", "name": "g", "content": "2", "tool_call_id": "function-4"},
        {"role": "function", "name": "nobody asked", "content": "3"},
        _turn(_call("{}"), content=None, function_call=None),
        _turn(_call("{}", "b"), content=None, function_call=_function("g", "{}")),
    ],
    "calls in other shapes": [
        _turn({"id": "a", "name": "find", "arguments": {"n": 1}}, content=None),
        {"role": "tool", "id": "a", "content": "one", "error": False},
        _turn(_call("{}", ""), {"function": {"name": "get", "arguments": {}}}, content="two"),
        {"role": "tool", "tool_name": "get", "content": "second"},
        {"role": "tool", "content": "first", "tool_call_id": None},
        _turn({"name": "find", "arguments": None}),
        {"role": "tool", "content": "x", "tool_call_id": ""},
        {"role": "tool", "content": "nothing asked", "name": "find"},
        {"role": "user", "content": [{"type": "text", "value": "hi"}]},
    ],
    "nothing that other messages show": [
        {"role": "user", "parts": [{"type": "text", "content": "hi"}]},
        {"role": "system", "content": [{"type": "image_url", "value": "a.png"}], "x": 1},
        {"role": "developer", "content": [{"kind": "text"}]},
        {"role": "assistant", "content": None, "reasoning_content": "hm"},
        {"role": "assistant", "content": None, "audio": {"id": "audio-1"}},
        _turn(_call("{}"), content=[{"type": "thinking", "thinking": "hm"}]),
        {"role": "tool", "content": [{"type": "image", "data": "QUJD"}], "tool_call_id": "a"},
    ],
    "NUL": [
        {"role": "user", "content": "a\x00b"},
        _turn(_call('"\x00"', "a\x00"), content="\x00"),
        {"role": "tool", "content": "\x00", "tool_call_id": "a\x00"},
    ],
    "answers out of place": [
        _turn(_call("{}", "a"), content=None),
        {"role": "user", "content": "never mind"},
        {"role": "tool", "content": "late", "tool_call_id": "a"},
        {"role": "assistant", "content": "one"},
        {"role": "assistant", "content": "two"},
    ],
}


UNTYPED = {  # found in the wild all the same
    "calls in other shapes",
    "functions, before tools",
    "nothing that other messages show",
    "null and empty calls",
    "odd parts and calls",
    "of an agent",
    "tool",
    "unknown keys",
}


@pytest.mark.parametrize("items", EXAMPLES.values(), ids=EXAMPLES)
def test_the_view_gives_back_what_was_imported(items: list[Item]) -> None:
    assert _same(_round_trip(items), items)


@pytest.mark.parametrize("name", sorted(EXAMPLES.keys() - UNTYPED))
def test_the_examples_are_of_the_openai_packages_types(name: str) -> None:
    for item in EXAMPLES[name]:
        check_types(item)


@pytest.mark.parametrize("items", EXAMPLES.values(), ids=EXAMPLES)
def test_unless_asked_for_nothing_foreign_is_shown(items: list[Item]) -> None:
    for item in _shown(_imported(items), repair=False):
        check_types(item)


def test_what_is_not_foreign_is_shown_as_it_was() -> None:
    for name in EXAMPLES.keys() - UNTYPED - {"no parts", "null content", "no content"}:
        assert _same(_shown(_imported(EXAMPLES[name]), repair=False), EXAMPLES[name]), name
    assert _shown(_imported(EXAMPLES["odd parts and calls"]), repair=False) == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
            ],
        },
        _turn(_call("{}"), content=None),
        _turn(_call("{}", "b")),
    ]


def test_a_function_is_shown_as_the_tool_that_it_is() -> None:
    shown = _shown(_imported(EXAMPLES["functions, before tools"][:4]))
    assert why_unsafe(shown) is None
    assert shown == [
        _turn(_call('{"n": 1}', "function-0", name="f"), content=None),
        {"role": "tool", "content": "1", "tool_call_id": "function-0"},
        _turn(_call("{}", "function-2", name="g"), content="and"),
        {"role": "tool", "content": "", "tool_call_id": "function-2"},
    ]


def test_no_message_is_blank_that_had_something() -> None:
    read = list(READER.read(EXAMPLES["nothing that other messages show"]))
    assert [draft["type"] for draft in read] == [
        *["openai.message"] * 5,
        "tool_calls",
        "tool_results",
    ]
    assert [draft["payload"] for draft in read[:5]] == EXAMPLES["nothing that other messages show"][
        :5
    ]
    assert read[6]["results"][0]["output"] == [{"type": "image", "data": "QUJD"}]


def test_a_message_without_text_is_counted() -> None:
    unmapped: list[Unmapped] = []
    list(
        READER.read([{"role": "user", "content": [{"type": "image_url", "value": "x"}]}], unmapped)
    )
    assert [(aside.place, aside.what) for aside in unmapped] == [
        ("[0]", "message of user without text")
    ]


def test_results_without_an_id_are_of_the_open_call_of_their_name_or_the_next() -> None:
    read = list(READER.read(EXAMPLES["calls in other shapes"]))
    calls = [call for draft in read for call in draft.get("calls", ())]
    assert [(call["id"], call["name"], call.get("args")) for call in calls] == [
        ("a", "find", {"n": 1}),
        ("call-2-0", "find", {}),
        ("call-2-1", "get", {}),
        ("call-5-0", "find", None),
    ]
    results = [result for draft in read for result in draft.get("results", ())]
    assert [(result.get("callId"), result["output"]) for result in results] == [
        ("a", "one"),
        ("call-2-1", "second"),
        ("call-2-0", "first"),
        ("call-5-0", "x"),
        (None, "nothing asked"),
    ]
    assert read[-1] == {**read[-1], "type": "input", "text": "hi"}


def test_what_only_an_api_could_show_is_still_sent_to_it() -> None:
    remote = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    items: list[Item] = [
        {"role": "user", "content": [remote, {"type": "thinking"}], "agent": "main"},
        {"role": "user", "parts": [remote]},
    ]
    assert _shown(_imported(items)) == [{"role": "user", "content": [remote]}]


@pytest.mark.parametrize(
    "payload",
    [None, "x", {}, {"role": ["user"]}, {"role": "tool", "content": "x", "tool_call_id": "a"}]
    + [{"role": "assistant", "content": "x", key: [{}]} for key in ("tool_calls", "function_call")],
)
def test_a_payload_that_no_import_made_is_not_shown(payload: JsonValue) -> None:
    forged = event(1, {"type": "openai.message", "payload": payload})
    assert _shown([forged], foreign=True) == _shown([forged]) == []


def test_what_is_not_known_is_noted_with_its_place() -> None:
    unmapped: list[Unmapped] = []
    items = [
        {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "hologram"}, "y"]},
        _turn(_call("{}", index=0), agent="main", name=None, annotations=[]),
    ]
    list(READER.read(items, unmapped))
    assert [(aside.place, aside.what) for aside in unmapped] == [
        ("[0].content[1]", "part 'hologram'"),
        ("[0].content[2]", "part without a type"),
        ("[1].agent", "field 'agent'"),
        ("[1].tool_calls[0].index", "field 'index'"),
    ]


def test_what_other_views_see_of_an_import_is_plain() -> None:
    items = [
        {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": DATA_URI}}]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
        _turn(_call('{"n": 1}')),
        {"role": "tool", "content": "ok", "tool_call_id": "a", "name": "find"},
    ]
    plain = [{k: v for k, v in draft.items() if k != "metadata"} for draft in READER.read(items)]
    assert plain == [
        {"type": "system", "text": "Be kind."},
        {"type": "input", "files": [{"data": "QUJD", "mimeType": "image/png"}]},
        {"type": "reply", "text": "I cannot."},
        {
            "type": "tool_calls",
            "calls": [{"id": "a", "name": "find", "args": {"n": 1}, "argumentsText": '{"n": 1}'}],
        },
        {
            "type": "tool_results",
            "results": [{"callId": "a", "output": "ok", "name": "find"}],
        },
    ]


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
_text_parts = st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": texts}), max_size=3)
_uris = st.sampled_from([DATA_URI, "data:text/plain;base64,aGk=", "https://x.org/a", "data:x"])
_parts = st.lists(
    st.fixed_dictionaries({"type": st.just("text"), "text": texts}, optional={"x": _json})
    | _uris.map(lambda uri: {"type": "image_url", "image_url": {"url": uri}})
    | _uris.map(lambda uri: {"type": "file", "file": {"file_data": uri, "filename": "f"}})
    | _json.map(lambda value: {"type": "input_audio", "input_audio": value}),
    max_size=3,
)
_call_ids = st.sampled_from(["a", "b", "c\x00"])
_arguments = texts | _json.map(print_text) | st.sampled_from(["{}", "", '{"a": 1}', '{"a":1.10}'])
_calls = st.lists(
    st.builds(_call, _arguments, _call_ids | st.just(""))
    | st.fixed_dictionaries(
        {"name": st.sampled_from(["find", "get"]), "arguments": _arguments | _json},
        optional={"id": _call_ids | st.none()},
    )
    | st.builds(
        lambda call_id, text: {
            "id": call_id,
            "type": "custom",
            "custom": {"name": "sh", "input": text},
        },
        _call_ids,
        texts,
    ),
    max_size=3,
)
_extra: Any = {"name": texts | st.none(), "x": _json, "refusal": texts | st.none()}
_wire_items = st.one_of(
    st.fixed_dictionaries(
        {"role": st.just("assistant"), "function_call": st.builds(_function, texts, _arguments)},
        optional={"content": st.none() | texts | _text_parts, **_extra},
    ),
    st.fixed_dictionaries(
        {"role": st.just("function"), "name": texts, "content": texts | _text_parts},
        optional={"x": _json},
    ),
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "developer"]), "content": texts | _text_parts},
        optional=_extra,
    ),
    st.fixed_dictionaries({"role": st.just("user"), "content": texts | _parts}, optional=_extra),
    st.fixed_dictionaries(
        {"role": st.just("assistant")},
        optional={
            "content": st.none() | texts | _text_parts,
            "tool_calls": st.none() | _calls,
            **_extra,
        },
    ),
    st.fixed_dictionaries(
        {"role": st.just("tool"), "content": texts | _text_parts},
        optional={
            "tool_call_id": _call_ids | st.sampled_from(["", None]),
            "id": _call_ids,
            **_extra,
        },
    ),
)


@given(st.lists(_wire_items, max_size=8))
def test_the_view_gives_back_any_history(items: list[Item]) -> None:
    assert _same(_round_trip(items), items)


@given(st.lists(_wire_items, max_size=8))
def test_what_is_plain_need_not_be_held_against_the_view(items: list[Item]) -> None:
    holding_all = replace(READER, is_plain=lambda _: False)
    assert list(READER.read(items)) == list(holding_all.read(items))


@given(st.lists(_wire_items, max_size=8))
def test_a_history_that_is_safe_comes_back_repaired_or_not(items: list[Item]) -> None:
    safe: list[Item] = []
    for item in items:
        if item["role"] not in ("tool", "function"):
            safe.append(item)
            if "function_call" in item:
                safe.append({**_function_result(item), "content": "ok"})
            safe += [
                {"role": "tool", "content": "ok", "tool_call_id": call.get("id")}
                for call in item.get("tool_calls") or ()
            ]
    assert why_unsafe(_shown(_imported(safe))) is None
    assert _same(_round_trip(safe, repair=True), safe)


def _function_result(item: Item) -> Item:
    return {"role": "function", "name": item["function_call"]["name"]}


GOOD = {"role": "user", "content": "x"}


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        ("words", "messages[3]"),
        ({"content": "x"}, "messages[3].role"),
        ({"role": "function", "content": "x"}, "messages[3].name"),
        ({"role": "assistant", "function_call": "f"}, "messages[3].function_call"),
        ({"role": ["user"], "content": "x"}, "messages[3].role"),
        ({"role": "user", "content": 5}, "messages[3].content"),
        ({"role": "assistant", "content": {"a": 1}}, "messages[3].content"),
        ({"role": "assistant", "tool_calls": "find"}, "messages[3].tool_calls"),
        (_turn({"id": "a"}), "messages[3].tool_calls[0]"),
        (_turn(_call("{}", 7)), "messages[3].tool_calls[0].id"),
        ({"role": "tool", "content": "x", "tool_call_id": 7}, "messages[3].tool_call_id"),
        ({"role": "function", "name": "f", "tool_call_id": ""}, "messages[3].tool_call_id"),
    ],
)
def test_a_bad_item_is_named_by_its_place(bad: JsonValue, place: str) -> None:
    reading = READER.read([GOOD, GOOD, GOOD, bad])
    assert [next(reading)["type"] for _ in range(3)] == ["input"] * 3
    with pytest.raises(InvalidMessage) as caught:
        next(reading)
    assert [flaw.place for flaw in caught.value.flaws] == [place]


# --- real data ----------------------------------------------------------------------------------


def test_200_trajectories_come_back_message_for_message() -> None:
    for run in airline_runs():
        items = run["traj"]
        events = _imported(items)
        assert _same(_shown(events, foreign=True, repair=False), items)
        assert _same(_shown(events, foreign=True), items)
        for item in _shown(events):
            check_types(item)
        assert all(map(READER.is_plain, items))
