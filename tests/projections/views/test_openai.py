"""The OpenAI view: safe to send, and honest about its repairs."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import array_of
from agentlog.projections.view import Item, render
from agentlog.projections.views.openai import OpenAIOptions, OpenAIView
from agentlog.projections.views.repair.chat import FILLER
from agentlog.projections.views.repair.wire import MARK, RECORDED
from tests.histories import histories, history
from tests.projections.chat_api import check_types, why_unsafe

OPTIONS = [
    OpenAIOptions(repair=repair, mark=mark, tool_names=tool_names, foreign=foreign)
    for repair, mark, tool_names, foreign in itertools.product((True, False), repeat=4)
]
every_repair = pytest.mark.parametrize(
    "options", [options for options in OPTIONS if options.repair], ids=repr
)


def _shown(events: Iterable[Event], **options: bool) -> list[Item]:
    return [item.item for item in render(OpenAIView(OpenAIOptions(**options)), events).items]


def _without_residue(events: Sequence[Event]) -> list[Event]:
    return [
        replace(event, metadata={k: v for k, v in event.metadata.items() if k != "wire"})
        for event in events
    ]


# --- what each message looks like ---------------------------------------------------------------

CALLS: dict[str, Any] = {
    "type": "tool_calls",
    "calls": [
        {"id": "a", "name": "find", "args": {"q": "x", "n": 1}},
        {"id": "b", "name": "book", "argumentsText": '{"n": 1.0}'},
    ],
}
WIRED_CALLS = [
    {"id": "a", "type": "function", "function": {"name": "find", "arguments": '{"q":"x","n":1}'}},
    {"id": "b", "type": "function", "function": {"name": "book", "arguments": '{"n": 1.0}'}},
]
RESULT_A: dict[str, Any] = {
    "type": "tool_results",
    "results": [{"callId": "a", "name": "find", "output": [1.10]}],
}
RESULT_B: dict[str, Any] = {
    "type": "tool_results",
    "results": [{"callId": "b", "name": "book", "output": None, "error": {"message": "full"}}],
}
USER: dict[str, Any] = {"type": "input", "text": "hello"}
WIRED_A = {"role": "tool", "content": "[1.1]", "tool_call_id": "a"}
WIRED_B = {"role": "tool", "content": "Error: full", "tool_call_id": "b"}


def test_a_conversation_reads_as_the_chat_api_has_it() -> None:
    events = history({"type": "system", "text": "Be kind."}, USER, CALLS, RESULT_A, RESULT_B)
    assert _shown(events) == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": None, "tool_calls": WIRED_CALLS},
        WIRED_A,
        WIRED_B,
    ]


def test_the_results_of_one_message_are_a_tool_message_each() -> None:
    both = {"type": "tool_results", "results": RESULT_B["results"] + RESULT_A["results"]}
    assert _shown(history(CALLS, both))[1:] == [WIRED_B, WIRED_A]


def test_tool_names_are_given_on_request() -> None:
    events = history(CALLS, RESULT_A, USER)
    assert [item.get("name") for item in _shown(events, tool_names=True)] == [
        None,
        "find",
        "book",  # the filler's, from its call
        None,
    ]
    assert all("name" not in item for item in _shown(events))


def test_files_become_parts_by_their_mime_type() -> None:
    files = [
        {"data": "aGk=", "mimeType": "text/plain"},
        {"data": "QUJD", "mimeType": "image/png"},
        {"data": "QU\nJD", "mimeType": "application/pdf", "filename": "a.pdf"},
        {"data": "/w==", "mimeType": "text/plain"},
        {"data": "QUJD"},
    ]
    (item,) = _shown(history({"type": "input", "text": "look", "files": files}))
    check_types(item)
    assert item["content"] == [
        {"type": "text", "text": "look"},
        {"type": "text", "text": "hi"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
        {
            "type": "file",
            "file": {"file_data": "data:application/pdf;base64,QUJD", "filename": "a.pdf"},
        },
        # no UTF-8, so no text after all; and the API takes no other files
        {"type": "text", "text": "[text/plain file, 1 bytes]"},
        {"type": "text", "text": "[application/octet-stream file, 3 bytes]"},
    ]


@pytest.mark.parametrize("first", ["reply", "tool_calls"])
def test_a_reply_and_calls_of_one_response_are_one_turn(first: str) -> None:
    reply: dict[str, Any] = {"type": "reply", "text": "one moment"}
    drafts = [reply, CALLS] if first == "reply" else [CALLS, reply]
    turn = {"role": "assistant", "content": "one moment", "tool_calls": WIRED_CALLS}
    joined = history(*({**draft, "metadata": {"responseId": "r"}} for draft in drafts))
    assert _shown(joined) == [turn]
    other = [{**draft, "metadata": {"responseId": f"r{n}"}} for n, draft in enumerate(drafts)]
    assert turn not in _shown(history(*other))
    assert turn not in _shown(history(*drafts))


# --- repair -------------------------------------------------------------------------------------


def test_a_call_left_unanswered_gets_a_filler_before_the_next_turn() -> None:
    assert _shown(history(CALLS, RESULT_B, USER), mark=True)[1:] == [
        WIRED_B,
        {"role": "tool", "content": FILLER, "tool_call_id": "a", MARK: "filler"},
        {"role": "user", "content": "hello"},
    ]


def test_a_result_without_its_call_gets_one() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    assert _shown(history(USER, RESULT_A), mark=True)[1:] == [
        {"role": "assistant", "content": None, "tool_calls": [call], MARK: "synthesised"},
        WIRED_A,
    ]


def test_a_result_without_its_call_that_stood_before_an_answer_is_moved_and_marked() -> None:
    orphan = {"callId": "x", "name": "find", "output": 1}
    results = [orphan, *RESULT_B["results"], *RESULT_A["results"], {**orphan, "callId": "y"}]
    shown = _shown(history(CALLS, {"type": "tool_results", "results": results}), mark=True)
    places = [(item["tool_call_id"], item.get(MARK)) for item in shown if item["role"] == "tool"]
    assert places == [("b", None), ("a", None), ("x", "reordered"), ("y", None)]


SYSTEM: dict[str, Any] = {"type": "system", "text": "The user is away."}
WIRED_SYSTEM = {"role": "system", "content": "The user is away."}


def test_a_system_message_leaves_calls_open_and_is_shown_after_their_results() -> None:
    turn = {"role": "assistant", "content": None, "tool_calls": WIRED_CALLS}
    events = history(CALLS, SYSTEM, RESULT_A, SYSTEM, RESULT_B, USER)
    answered = [turn, WIRED_A, WIRED_B, WIRED_SYSTEM, WIRED_SYSTEM]
    assert _shown(events) == [*answered, {"role": "user", "content": "hello"}]
    assert _shown(events[:-1]) == answered
    assert _shown(events[:-1], repair=False) == [
        turn,
        WIRED_SYSTEM,
        WIRED_A,
        WIRED_SYSTEM,
        WIRED_B,
    ]


def test_calls_still_open_before_a_system_message_get_a_filler_until_they_are_answered() -> None:
    filler = {"role": "tool", "content": FILLER, "tool_call_id": "b", MARK: "filler"}
    moved = {**WIRED_SYSTEM, MARK: "reordered"}
    events = history(CALLS, SYSTEM, RESULT_A, RESULT_B)
    assert _shown(events[:2], mark=True)[-1] == WIRED_SYSTEM
    assert _shown(events[:3], mark=True)[1:] == [WIRED_A, filler, moved]
    rendering = render(OpenAIView(), events[:3])
    assert [placed.key for placed in rendering.rest] == ["1.0", "2.0", "2.1", "2.2"]
    unanswered = [*events[:3], replace(history(USER)[0], originator_version=4)]
    assert _shown(unanswered, mark=True)[1:4] == [WIRED_A, filler, moved]


def test_calls_of_the_last_turn_stay_open() -> None:
    assert _shown(history(CALLS, RESULT_A)) == _shown(history(CALLS, RESULT_A), repair=False)


def test_a_result_without_an_id_answers_the_open_call_of_its_name() -> None:
    nameless = {"type": "tool_results", "results": [{"name": "book", "output": "ok"}]}
    assert _shown(history(CALLS, nameless))[1]["tool_call_id"] == "b"


def test_an_orphan_leaves_calls_open_repaired_or_not() -> None:
    results = [{"callId": "x", "output": 1}]
    nameless = {"type": "tool_results", "results": [{"name": "book", "output": "late"}]}
    events = history(CALLS, {"type": "tool_results", "results": results}, nameless)
    for repair in (True, False):
        late = [item for item in _shown(events, repair=repair) if item["content"] == "late"]
        assert [item["tool_call_id"] for item in late] == ["b"]


def test_no_residue_forges_the_mark() -> None:
    wire = {"openai": [{"set": {MARK: "filler", "name": "ann"}}]}
    (item,) = _shown(history({**USER, "metadata": {"wire": wire}}), mark=True)
    assert item == {"role": "user", "content": "hello", "name": "ann"}


def test_the_carry_keeps_numbers_of_any_size() -> None:
    view = OpenAIView(OpenAIOptions(foreign=True))
    wire = {"openai": [{"set": {"x": 10**30, "y": parse("1.10")}}]}
    held = history({"type": "reply", "text": "hi", "metadata": {"wire": wire}})
    carry = render(view, held).carry
    assert b'"x":1' + b"0" * 30 + b',"y":1.10' in view.dump(carry)
    assert view.rest(view.load(view.dump(carry))) == view.rest(carry)


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ([WIRED_A], "does not ask"),
        ([{"role": "assistant", "content": None, "tool_calls": WIRED_CALLS}, WIRED_A], None),
        (
            [
                {"role": "assistant", "content": None, "tool_calls": WIRED_CALLS},
                WIRED_A,
                {"role": "user", "content": "and?"},
            ],
            "not answered",
        ),
        (
            [{"role": "assistant", "content": None, "tool_calls": WIRED_CALLS}, WIRED_A, WIRED_A],
            "not open",
        ),
    ],
)
def test_the_checker_of_these_tests_knows_what_an_api_refuses(
    items: list[Item], reason: str | None
) -> None:
    refusal = why_unsafe(items)
    assert refusal is None if reason is None else reason in (refusal or "")


@every_repair
@given(events=histories())
def test_a_repaired_history_is_safe_to_send(options: OpenAIOptions, events: list[Event]) -> None:
    items = [placed.item for placed in render(OpenAIView(options), events).items]
    assert why_unsafe(items) is None


@given(histories())
def test_without_repair_nothing_is_invented(events: list[Event]) -> None:
    shown = _shown(events, repair=False, mark=True)
    assert not any(MARK in item for item in shown)
    results = [
        r for e in events if e.message and e.type == "tool_results" for r in e.raw["results"]
    ]
    assert sum(item["role"] == "tool" for item in shown) == len(results)
    calls = [c for e in events if e.message and e.type == "tool_calls" for c in e.raw["calls"]]
    assert sum(len(array_of(item.get("tool_calls"))) for item in shown) == len(calls)


@given(histories(), st.booleans())
def test_the_mark_is_on_exactly_what_repair_invented(events: list[Event], names: bool) -> None:  # noqa: FBT001 - hypothesis passes it
    repaired = _shown(events, mark=True, tool_names=names)
    invented = {"filler", "synthesised"}
    kept = [
        item.get(RECORDED, _unmarked(item))
        for item in repaired
        if item.get(MARK) not in {*invented, "moved"}
    ]
    as_logged = _shown(events, repair=False, tool_names=names)
    assert Counter(map(_printed, kept)) == Counter(map(_printed, as_logged))
    for item in repaired:
        assert item.get(MARK) in {None, "reordered", "moved", *invented}
    assert [_unmarked(item) for item in repaired] == _shown(events, tool_names=names)


def _unmarked(item: Any) -> Item:
    return {key: value for key, value in item.items() if key not in {MARK, RECORDED}}


def _printed(item: Item) -> bytes:
    return print_bytes(item, sort_keys=True)


@pytest.mark.parametrize("repair", [True, False])
@given(events=histories())
def test_items_are_of_the_openai_packages_types(repair: bool, events: list[Event]) -> None:  # noqa: FBT001 - pytest passes it
    for item in _shown(events, repair=repair):
        check_types(item)


def test_the_check_of_types_reaches_into_lists() -> None:
    turn = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function"}]}
    with pytest.raises(ValidationError):
        check_types(turn)


@given(histories())
def test_no_residue_changes_who_speaks_or_who_answers_whom(events: list[Event]) -> None:
    def roles(events: Sequence[Event]) -> list[object]:
        return [
            (
                item["role"].replace("developer", "system"),
                item.get("tool_call_id"),
                [call["id"] for call in item.get("tool_calls") or ()],
            )
            for item in _shown(events)
        ]

    assert roles(events) == roles(_without_residue(events))
