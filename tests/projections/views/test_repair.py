"""No history, however broken, gives a view that the rules of its API refuse."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.messages import anthropic, chat
from agentlog.projections.registry import choose_view
from agentlog.projections.view import Item, Placed, render
from agentlog.projections.views.repair.pairing import MOST_LATE
from agentlog.projections.views.repair.wire import MARK, RECORDED, RESULT
from tests.broken_histories import ANTHROPIC, CHAT, broken_histories
from tests.histories import examples, history
from tests.projections import anthropic_api, chat_api
from tests.projections.api_rules import anthropic as anthropic_rules
from tests.projections.api_rules import chat as chat_rules
from tests.projections.api_rules import responses as responses_rules
from tests.projections.api_rules.findings import Refusal
from tests.projections.field_rules import why_anthropic_refuses, why_openai_refuses

Check = Callable[[Sequence[Item]], Sequence[Refusal]]
CHECKS: Mapping[str, Check] = {
    "openai": chat_rules.refusals,
    "responses": responses_rules.refusals,
    "anthropic": anthropic_rules.refusals,
}
every_api = pytest.mark.parametrize("api", CHECKS)


def shown(api: str, events: Sequence[Event], **options: object) -> list[Any]:
    return [placed.item for placed in render(choose_view(api, options), events).items]


def imported(items: list[Any], reader: Any) -> list[Event]:
    return history(*(dict(draft) for read in reader.FORMAT.read(items) for draft in read.drafts))


def strings(value: JsonValue) -> Iterator[str]:
    """Yield all texts in a value."""
    if isinstance(value, str):
        yield value
    for inner in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from strings(inner)


# --- properties ---------------------------------------------------------------------------------


def check_taken(api: str, refusals: Check, events: Sequence[Event]) -> None:
    items = shown(api, events)
    note(print_bytes(items).decode())
    assert refusals(items) == []
    kept = shown(api, events, repair=False)
    if not refusals(kept):
        assert items == kept


@every_api
@given(events=broken_histories)
@examples(150, long=2500)
def test_the_api_takes_what_is_shown(api: str, events: list[Event]) -> None:
    check_taken(api, CHECKS[api], events)


@every_api
@given(events=broken_histories, data=st.data())
@examples(50)
def test_the_api_takes_it_at_any_moment(api: str, events: list[Event], data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(events)))
    assert CHECKS[api](shown(api, events[:end])) == []


@given(broken_histories)
@examples(100)
def test_the_apis_own_words_refuse_nothing(events: list[Event]) -> None:
    assert why_openai_refuses(shown("openai", events)) == []
    assert why_anthropic_refuses(shown("anthropic", events)) == []


_RESPONSES: TypeAdapter[Any] = TypeAdapter(ResponseInputItemParam)


@given(broken_histories)
@examples(100)
def test_the_types_of_the_packages_take_what_is_shown(events: list[Event]) -> None:
    for item in shown("openai", events):
        chat_api.check_types(item)
    for item in shown("anthropic", events, system=False):
        anthropic_api.check_types(item)
    for item in shown("responses", events):
        # the API takes answers of other models without an id, though the package's types do not
        _RESPONSES.validate_python({"id": "rs_1", "status": "completed", **item})


@every_api
@given(events=broken_histories, data=st.data())
@examples(100, long=1500)
def test_events_at_once_are_shown_as_one_by_one(
    api: str, events: list[Event], data: st.DataObject
) -> None:
    view = choose_view(api, data.draw(st.sampled_from([{}, {"mark": True}, {"repair": False}])))
    settled: list[Placed] = []
    carry = view.start()
    for event in events:
        carry, items = view.fold(view.load(view.dump(carry)), event)
        settled += items
    whole = render(view, events)
    assert (settled, view.rest(carry)) == (whole.settled, whole.rest)


def inner(value: JsonValue) -> Iterator[Any]:
    """Yield all objects in a value."""
    if isinstance(value, dict):
        yield value
    for part in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from inner(part)


@every_api
@given(broken_histories)
@examples(100)
def test_marks_say_what_is_on_record_otherwise(api: str, events: list[Event]) -> None:
    for item in inner(shown(api, events, mark=True)):
        assert RESULT not in item
        if RECORDED in item and item.get("type") == "tool_result":
            assert item[RECORDED] != {key: item[key] for key in item if key != RECORDED}


_words = st.integers(0, 99).map("word-{}".format)
talks = st.lists(
    st.one_of(
        st.sampled_from(["input", "reply", "system"]),
        st.tuples(st.just("tool_calls"), st.lists(st.sampled_from("abc"), min_size=1, max_size=3)),
        st.tuples(st.just("tool_results"), st.lists(st.sampled_from("abc"), min_size=1)),
    ),
    max_size=14,
)


def _told(talk: Iterable[Any]) -> list[Event]:
    """Return a history in which each text and output is another one."""
    drafts: list[dict[str, Any]] = []
    for number, said in enumerate(talk):
        match said:
            case "tool_calls", ids:
                calls = [{"id": call_id, "name": "f", "args": {"n": number}} for call_id in ids]
                drafts.append({"type": "tool_calls", "calls": calls})
            case "tool_results", ids:
                results = [
                    {"callId": call_id, "output": f"text-{number}-{n}-"}
                    for n, call_id in enumerate(ids)
                ]
                drafts.append({"type": "tool_results", "results": results})
            case str(kind):
                drafts.append({"type": kind, "text": f"text-{number}-"})
    return history(*drafts)


def check_texts(api: str, refusals: Check, talk: Sequence[Any]) -> None:
    events = _told(talk)
    items = shown(api, events)
    said = [text for text in strings(items) if text.startswith("text-")]
    told = [text for text in strings([event.raw for event in events]) if text.startswith("text-")]
    assert sorted(said) == sorted(told)
    assert refusals(items) == []


@every_api
@given(talk=talks)
@examples(100)
def test_every_text_and_result_is_shown_once(api: str, talk: list[Any]) -> None:
    check_texts(api, CHECKS[api], talk)


def check_marks(api: str, events: Sequence[Event]) -> None:
    def unmarked(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: unmarked(v) for k, v in value.items() if k not in {MARK, RECORDED}}
        return [unmarked(inner) for inner in value] if isinstance(value, list) else value

    assert unmarked(shown(api, events, mark=True)) == shown(api, events)


@every_api
@given(events=broken_histories)
@examples(50)
def test_marks_change_nothing_else(api: str, events: list[Event]) -> None:
    check_marks(api, events)


@given(st.lists(CHAT, max_size=5))
@examples(50)
def test_ids_go_back_one_to_one(items: list[Any]) -> None:
    """What is shown under an id is, by its mark, one call on record, in that turn."""
    for item in shown("openai", imported(items, chat), mark=True):
        recorded = item.get(RECORDED, item)
        ids = [call["id"] for call in item.get("tool_calls") or ()]
        own = [call["id"] for call in recorded.get("tool_calls") or ()]
        assert len(ids) == len(own) == len(set(ids))


@given(st.lists(ANTHROPIC, max_size=6))
@examples(100)
def test_the_last_marks_of_caches_are_left(items: list[Any]) -> None:
    events = imported(items, anthropic)
    left = print_bytes(shown("anthropic", events)).count(b'"cache_control"')
    assert left <= 4


# --- by example: reports of others --------------------------------------------------------------

USER = {"role": "user", "content": "go"}


def use(call_id: str, name: str = "read") -> Item:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {"p": 1}}


def result(call_id: str, content: str = "ok", **beside: Any) -> Item:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **beside}


def by(role: str, *blocks: Any) -> Item:
    return {"role": role, "content": [*blocks]}


def text(said: str) -> Item:
    return {"type": "text", "text": said}


def wired(call_id: str, arguments: str = "{}", name: str = "bash") -> Item:
    function: Item = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def calling(*calls: Any) -> Item:
    return {"role": "assistant", "content": None, "tool_calls": [*calls]}


def answer(call_id: str, content: Any = "ok") -> Item:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def test_a_late_result_goes_to_its_call_and_what_stood_between_comes_after() -> None:
    """Public report: earendil-works/pi#8667."""
    summary = {"role": "user", "content": "[summary]"}
    late = [
        USER,
        by("assistant", use("c")),
        summary,
        by("user", result("c")),
        by("assistant", text("done")),
    ]
    events = imported(late, anthropic)
    assert shown("anthropic", events) == [late[0], late[1], late[3], summary, late[4]]
    assert [item["role"] for item in shown("openai", events)] == [
        *("user", "assistant", "tool", "user", "assistant")
    ]
    marked = shown("openai", events, mark=True)
    assert [item.get(MARK) for item in marked] == [None, None, None, "reordered", None]


APART = [
    USER,
    by("assistant", use("1"), use("2"), use("3")),
    by("user", result("3")),
    by("user", text("note"), result("1")),
    by("user", result("2")),
    by("assistant", text("fine")),
]


def test_parallel_results_that_come_apart_stand_together() -> None:
    """Public report: anthropics/claude-code#21906."""
    _, _, answered, note_after, last = shown("anthropic", imported(APART, anthropic))
    assert [block["tool_use_id"] for block in answered["content"]] == ["3", "1", "2"]
    assert (note_after, last) == (by("user", text("note")), APART[-1])


def test_an_id_that_comes_again_is_told_apart_and_pairs_in_its_turn() -> None:
    """Public report: decolua/9router#4273."""
    turns = [
        message
        for n in range(3)
        for message in (
            calling(wired("call_0"), wired("call_1")),
            answer("call_0", f"r{n}"),
            answer("call_1"),
        )
    ]
    events = imported([USER, *turns], chat)
    assert shown("openai", events) == [USER, *turns]
    called = [b["id"] for item in shown("anthropic", events)[1::2] for b in item["content"]]
    assert called == ["call_0", "call_1", "call_0_2", "call_1_2", "call_0_3", "call_1_3"]
    outputs = [item["content"][0]["content"] for item in shown("anthropic", events)[2::2]]
    assert outputs == ["r0", "r1", "r2"]


def test_ids_of_other_providers_are_replaced_and_marks_say_what_is_on_record() -> None:
    """Public report: maximhq/bifrost#5097."""
    events = imported([USER, calling(wired("functions.Bash:0")), answer("functions.Bash:0")], chat)
    for api in ("openai", "anthropic", "responses"):
        assert b"functions.Bash:0" not in print_bytes(shown(api, events))
        assert print_bytes(shown(api, events, mark=True)).count(b"functions.Bash:0") == 2
    _, turn, answered = shown("openai", events)
    assert turn["tool_calls"][0]["id"] == answered["tool_call_id"] == "functions_Bash_0_a97d1507"


@pytest.mark.parametrize(
    ("arguments", "shown_as"),
    [
        ("", "{}"),
        ("null", "{}"),
        (' { "a" : 1.0 , "a" : 2 } ', ' { "a" : 1.0 , "a" : 2 } '),
        ('{"id":2512292042121000001,"z":-0,"big":1e400}',) * 2,
        ('["x"]', '{"INVALID_JSON":"[\\"x\\"]"}'),
        ('{"command":"ls', '{"INVALID_JSON":"{\\"command\\":\\"ls"}'),
    ],
)
def test_arguments_are_an_object(arguments: str, shown_as: str) -> None:
    events = imported([USER, calling(wired("a", arguments)), answer("a")], chat)
    assert shown("openai", events)[1]["tool_calls"][0]["function"]["arguments"] == shown_as
    assert shown("responses", events)[1]["arguments"] == shown_as


def test_the_last_four_marks_of_caches_are_left() -> None:
    """Public report: Wei-Shaw/sub2api#176."""
    marked = {"cache_control": {"type": "ephemeral"}}
    items = [
        message
        for n in range(6)
        for message in (by("user", {**text(f"q{n}"), **marked}), by("assistant", text(f"a{n}")))
    ]
    left = [
        b"cache" in print_bytes(item) for item in shown("anthropic", imported(items, anthropic))
    ]
    assert left == [False] * 4 + [True, False] * 4
    assert shown("anthropic", imported(items[:8], anthropic)) == items[:8]


SEEN = [
    USER,
    by("assistant", use("i")),
    by(
        "user",
        {
            "type": "tool_result",
            "tool_use_id": "i",
            "content": [
                text("see"),
                {
                    "type": "image",
                    "source": {
                        "type": "base64",
                        "media_type": "image/png",
                        "data": "iVBORw0KGgo=",
                    },
                },
            ],
        },
    ),
    by("assistant", text("nice")),
]


def test_an_image_in_a_result_is_seen_and_not_read_as_words() -> None:
    """Public report: anomalyco/opencode#49320."""
    events = imported(SEEN, anthropic)
    assert shown("anthropic", events) == SEEN
    _, _, tool, seen, _ = shown("openai", events)
    assert tool["content"] == "see\n[image/png, 8 bytes]"
    url = "data:image/png;base64,iVBORw0KGgo="
    assert seen["content"][1] == {"type": "image_url", "image_url": {"url": url}}
    assert shown("responses", events)[2]["output"][1]["image_url"] == url


def test_an_image_behind_a_result_ends_the_turn() -> None:
    picture = [{"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]
    calls = [{"id": call_id, "name": "f", "args": {}} for call_id in "ab"]
    events = history(
        {"type": "input", "text": "go"},
        {"type": "tool_calls", "calls": calls},
        {"type": "tool_results", "results": [{"callId": "b", "output": picture}]},
    )
    roles = [item["role"] for item in shown("openai", events)]
    assert roles == ["user", "assistant", "tool", "tool", "user"]


SVG: Any = {"type": "input", "files": [{"data": "PHN2Zy8+", "mimeType": "image/svg+xml"}]}


@every_api
def test_an_svg_is_no_image(api: str) -> None:
    assert b"[image/svg+xml, 6 bytes]" in print_bytes(shown(api, history(SVG)))


def test_an_answer_that_is_audio_is_shown() -> None:
    spoken = {"role": "assistant", "content": None, "audio": {"id": "audio_abc"}}
    assert shown("openai", imported([USER, spoken], chat)) == [USER, spoken]


def check_given_up(api: str, refusals: Check) -> None:
    words = [{"type": "input", "text": f"text-{n}"} for n in range(MOST_LATE + 10)]
    calls = {"type": "tool_calls", "calls": [{"id": "a", "name": "f", "args": {}}]}
    late = {"type": "tool_results", "results": [{"callId": "a", "output": "text-late"}]}
    events = history({"type": "input", "text": "go"}, calls, *words, late)
    rendering = render(choose_view(api), events)
    assert len(rendering.rest) <= 2
    items = shown(api, events)
    assert refusals(items) == []
    assert b"text-late" in print_bytes(items[-2:])


@every_api
def test_a_call_that_is_given_up_does_not_hold_the_view_back(api: str) -> None:
    check_given_up(api, CHECKS[api])
