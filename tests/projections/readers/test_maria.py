"""The Maria reader: both dialects come back as they were, and other views see plain messages."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from ulid import ULID

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.messages import chat
from agentlog.projections.readers.wires.maria import READER
from agentlog.projections.view import Item, render
from agentlog.projections.views.maria.view import Dialect, MariaOptions, MariaView
from agentlog.projections.views.openai import OpenAIView
from tests.airline import airline_runs
from tests.histories import event, histories

DIALECTS: tuple[Dialect, ...] = ("2025-12", "2026-03")
every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


def _recorded(drafts: Iterable[Draft]) -> list[Event]:
    return [event(n + 1, draft) for n, draft in enumerate(drafts)]


def _told(events: Iterable[Event], dialect: Dialect = "2025-12") -> list[Item]:
    view = MariaView(MariaOptions(dialect=dialect))
    return [placed.item for placed in render(view, events).items]


def _round_trip(items: Sequence[JsonValue], dialect: Dialect = "2025-12") -> list[Item]:
    return _told(_recorded(READER.read(items)), dialect)


def _same(one: object, other: object) -> bool:
    return print_bytes(one, sort_keys=True) == print_bytes(other, sort_keys=True)


def _plain(items: Sequence[JsonValue]) -> list[Draft]:
    return [{k: v for k, v in draft.items() if k != "metadata"} for draft in READER.read(items)]


CALL = {
    "id": "call_123",
    "type": "function",
    "function": {"name": "read_file", "arguments": '{ "path": "README.md" }'},
}
SYSTEM = {"msg": "MessageAdded", "message": {"role": "system", "content": "Be kind."}}
USER = {"msg": "MessageAdded", "message": {"role": "user", "content": "hello"}}
COMPLETED: Item = {
    "msg": "RequestCompleted",
    "usage": [{"completion_tokens": 50, "prompt_tokens": 150, "total_tokens": 200}],
    "message": {"role": "assistant", "content": "One moment.", "tool_calls": [CALL]},
}
BEFORE = {
    "msg": "PreToolCall",
    "tool_call": CALL,
    "name": "read_file",
    "args": {"path": "README.md"},
}
AFTER: Item = {
    "msg": "PostToolCall",
    "tool_call": CALL,
    "name": "read_file",
    "result": {"lines": 3},
    "text": "3 lines",
}
TOOL: Item = {
    "msg": "MessageAdded",
    "message": {"role": "tool", "content": "3 lines", "tool_call_id": "call_123"},
}
RUN: list[Item] = [
    SYSTEM,
    USER,
    {"msg": "PreConversation"},
    {"msg": "TokenCounted", "token_count": 42},
    {"msg": "ContextPruned", "origin_token_count": 42, "pruned_token_count": 42},
    COMPLETED,
    BEFORE,
    AFTER,
    TOOL,
    {"msg": "MessageQueued", "message": {"id": "q1", "message": USER["message"]}},
    {"msg": "MessageUnqueued", "message": {"id": "q1"}},
    {
        "msg": "RequestCompleted",
        "usage": None,
        "message": {"role": "assistant", "content": "Done.", "tool_calls": []},
    },
    {"msg": "PostConversation"},
]
DESCS: list[Item] = [
    {"msg": "SystemPromptSet", "prompt": "Be kind."},
    {"msg": "UserMessage", "content": "hello"},
    {"msg": "PreConversation"},
    {
        "msg": "AssistantMessage",
        "content": "One moment.",
        "tool_calls": [CALL],
        "usage": COMPLETED["usage"][0],
    },
    BEFORE,
    AFTER,
    TOOL,
    {"msg": "AssistantMessage", "content": "Done.", "tool_calls": []},
    {"msg": "PostConversation"},
]
MARCH_RUN: list[Item] = [
    {
        "id": f"ac8a366d-ce7e-47d9-8bc7-27c69e4160{n:02x}",
        "created": 1_772_000_000_000 + n,
        "desc": d,
    }
    for n, d in enumerate(DESCS)
]


def test_a_run_of_december_comes_back() -> None:
    assert _same(_round_trip(RUN), RUN)


def test_a_run_of_march_comes_back_with_its_ids_and_times() -> None:
    assert _same(_round_trip(MARCH_RUN, "2026-03"), MARCH_RUN)


def test_what_other_views_see_of_a_run_is_plain() -> None:
    usage = {"inputTokens": 150, "outputTokens": 50, "totalTokens": 200}
    args = {"args": {"path": "README.md"}, "argumentsText": CALL["function"]["arguments"]}
    shown = [draft for draft in _plain(RUN) if not draft["type"].startswith("maria.")]
    assert shown == [
        {"type": "system", "text": "Be kind."},
        {"type": "input", "text": "hello"},
        {"type": "llm_response", "usage": usage},
        {"type": "reply", "text": "One moment."},
        {"type": "tool_calls", "calls": [{"id": "call_123", "name": "read_file", **args}]},
        {
            "type": "tool_results",
            "results": [
                {"callId": "call_123", "name": "read_file", "output": {"lines": 3}, "error": None}
            ],
        },
        {"type": "reply", "text": "Done."},
    ]


def test_the_dialects_make_the_same_messages() -> None:
    def shown(items: Sequence[JsonValue]) -> list[Draft]:
        drafts = [d for d in _plain(items) if not d["type"].startswith("maria.")]
        return [{k: v for k, v in d.items() if k not in {"id", "timestamp"}} for d in drafts]

    assert shown(RUN) == shown(MARCH_RUN)


def test_the_messages_of_one_turn_share_a_response() -> None:
    drafts = list(READER.read([COMPLETED]))
    assert [draft["type"] for draft in drafts] == ["llm_response", "reply", "tool_calls"]
    assert len({draft["metadata"]["responseId"] for draft in drafts}) == 1


def test_a_march_event_keeps_its_time_and_its_id_as_a_ulid() -> None:
    draft = next(READER.read(MARCH_RUN))
    assert draft["timestamp"] == 1_772_000_000_000
    assert _told([event(1, draft)], "2026-03")[0]["id"] == MARCH_RUN[0]["id"]
    assert ULID.from_str(draft["id"]).to_uuid() == UUID(MARCH_RUN[0]["id"])


USAGES: list[JsonValue] = [
    None,
    [],
    {},
    [{}],
    "x",
    [{"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "cache_read_tokens": None}],
    [{"prompt_tokens": -1, "completion_tokens": True, "total_tokens": 10**30}],
    [{"prompt_tokens_details": {"cached_tokens": 4}}],
]
ODD: list[Any] = (
    [
        [{"msg": "MessageAdded", "message": {"role": "user", "content": content}}]
        for content in ("", [], [{"type": "text", "text": "a"}], [{"text": "a"}, {"text": "b"}])
    ]
    + [[COMPLETED | {"usage": usage}, BEFORE] for usage in USAGES]
    + [
        [COMPLETED | {"message": {"role": "assistant", **message}}]
        for message in (
            {"content": "", "tool_calls": []},
            {"content": [{"type": "text", "text": "a"}], "tool_calls": []},
            {"content": "no calls at all"},
        )
    ]
    + [
        [{"msg": "MessageAdded", "message": {"role": "assistant", "content": "document's own"}}],
        [COMPLETED, BEFORE | {"args": "raw", "error": "not JSON"}, AFTER | {"extra": None}, TOOL],
        [COMPLETED, BEFORE, AFTER | {"result": None}, TOOL],
        [SYSTEM | {"extra": 1}, USER | {"extra": 10**30}],
        [{"msg": "TokenCounted", "token_count": 10**30, "payload": {"msg": "x"}}],
    ]
    + [
        [
            COMPLETED,
            BEFORE,
            {k: v for k, v in AFTER.items() if k != "result"} | {"error": error},
            TOOL,
        ]
        for error in ("full", {"message": "full"}, {"message": 1}, ["Failure", "full"], None)
    ]
)


@pytest.mark.parametrize("items", ODD)
def test_odd_events_come_back(items: list[Item]) -> None:
    assert _same(_round_trip(items), items)


def test_odd_envelopes_come_back() -> None:
    items: list[Item] = [
        {"id": "no uuid", "created": -1, "desc": {"msg": "TokenCounted", "token_count": 1}},
        {"desc": {"msg": "UserMessage", "content": "hi"}},
        {"id": MARCH_RUN[0]["id"].upper(), "created": True, "desc": {"msg": "SystemPromptSet"}},
        {"id": None, "created": 1, "node": "n", "desc": {"msg": "UserMessage", "content": ""}},
    ]
    assert _same(_round_trip(items, "2026-03"), items)


def test_an_error_is_read_as_the_kernels_where_it_can_be() -> None:
    def error(value: JsonValue) -> JsonValue:
        failed = {k: v for k, v in AFTER.items() if k != "result"} | {"error": value}
        return _plain([failed])[0]["results"][0]["error"]

    assert error("full") == "full"
    assert error({"message": "full", "name": "E"}) == {"message": "full", "name": "E"}
    assert error({"message": "full", "code": 7}) == '{"message":"full","code":7}'
    assert error(["Failure", "full"]) == '["Failure","full"]'


def test_a_tool_message_alone_is_a_result() -> None:
    assert _plain([COMPLETED, BEFORE, TOOL])[-1] == {
        "type": "tool_results",
        "results": [{"callId": "call_123", "output": "3 lines"}],
    }


def test_results_of_one_call_are_all_kept() -> None:
    drafts = _plain([COMPLETED, BEFORE, AFTER, TOOL, AFTER, TOOL, TOOL])
    assert [d["type"] for d in drafts if d["type"] == "tool_results"] == ["tool_results"] * 3


def test_calls_run_one_after_the_other_lose_only_the_place_of_their_announcement() -> None:
    second = CALL | {"id": "call_456"}
    message = COMPLETED["message"] | {"tool_calls": [CALL, second]}
    tool = {"msg": "MessageAdded", "message": TOOL["message"] | {"tool_call_id": "call_456"}}
    before, after = BEFORE | {"tool_call": second}, AFTER | {"tool_call": second}
    completed = COMPLETED | {"message": message}
    run = [completed, BEFORE, AFTER, TOOL, before, after, tool]
    told = _round_trip(run)
    named = {**before, "id": told[2]["id"]}  # an announcement that was not heard has a new id
    assert _same(told, [completed, BEFORE, named, AFTER, TOOL, after, tool])


@every_dialect
@given(events=histories())
def test_what_the_view_tells_it_tells_again_after_an_import(
    dialect: Dialect, events: list[Event]
) -> None:
    told = _told(events, dialect)
    assert _same(_round_trip(told, dialect), told)


GOOD: dict[str, Any] = USER


def _march(desc: JsonValue) -> Item:
    return {"id": "x", "created": 1, "desc": desc}


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        (7, "messages[1]"),
        ({"role": "user", "content": "bare"}, "messages[1].msg"),
        ({"msg": "no such name"}, "messages[1].msg"),
        ({"msg": "MessageAdded"}, "messages[1].message"),
        ({"msg": "MessageAdded", "message": {"role": "dev"}}, "messages[1].message.role"),
        (
            {"msg": "MessageAdded", "message": {"role": "user", "content": 5}},
            "messages[1].message.content",
        ),
        (
            {"msg": "MessageAdded", "message": {"role": "tool", "content": "", "tool_call_id": ""}},
            "messages[1].message.tool_call_id",
        ),
        (
            {"msg": "RequestCompleted", "message": {"role": "assistant", "tool_calls": [7]}},
            "messages[1].message.tool_calls[0]",
        ),
        ({"msg": "PostToolCall", "result": 1}, "messages[1].tool_call"),
        ({"msg": "PostToolCall", "tool_call": CALL}, "messages[1].result"),
        (_march([]), "messages[1].desc"),
        (_march({"msg": "SystemPromptSet", "prompt": 1}), "messages[1].desc.prompt"),
        (
            _march({"msg": "AssistantMessage", "tool_calls": [CALL, {"id": "a"}]}),
            "messages[1].desc.tool_calls[1]",
        ),
    ],
)
def test_a_bad_event_is_named_by_its_place(bad: JsonValue, place: str) -> None:
    reading = READER.read([GOOD, bad])
    assert next(reading)["type"] == "input"
    with pytest.raises(InvalidMessage) as caught:
        next(reading)
    assert [flaw.place for flaw in caught.value.flaws] == [place]


@every_dialect
def test_200_trajectories_are_told_again_and_lose_nothing_on_the_way(dialect: Dialect) -> None:
    for run in airline_runs():
        told = _told(_recorded(chat.READER.read(run["traj"])), dialect)
        imported = _recorded(READER.read(told))
        assert _same(_told(imported, dialect), told)
        rendered = [placed.item for placed in render(OpenAIView(), imported).items]
        unnamed = [
            {k: v for k, v in item.items() if k != "name"} if item["role"] == "tool" else item
            for item in run["traj"]
        ]
        assert _same(rendered, unnamed)
