"""Streams on a real server: equal to reads, resumable at every place, framed for each client."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx2
import jsonpatch
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from letta_client import Letta
from letta_client._streaming import Stream
from letta_client.types.agents import LettaStreamingResponse

from agentlog.domain.json.values import JsonValue, array_of
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import State
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import choose_view
from tests.api.conftest import following_of
from tests.api.listeners import Frame, followed, heard, listening
from tests.api.refusals import problem_in
from tests.infrastructure.appends import NOON, STORY, calls, items_of, reply, results
from tests.waiting import WAIT_SECONDS

PLAIN = ("kernel", "openai", "openletta", "anomalies")


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    """Where the application listens."""
    with followed(app) as client:
        yield client


def tell(threads: Threads, *drafts: Any, thread: str = "t") -> None:
    """Append drafts one by one."""
    for draft in drafts:
        threads.append(thread, [draft])


def shown(views: Views, view: str, thread: str = "t") -> list[JsonValue]:
    """Return the items of a view, as a read has them."""
    return [placed.item for placed in items_of(views.view(thread, choose_view(view)))]


def as_list(frames: list[Frame]) -> list[JsonValue]:
    """Return settled items and what was held last."""
    held: list[JsonValue] = []
    for frame in frames:
        if frame.event == "held":
            held = array_of(frame.value)
            assert frame.id is None
    return [*(frame.value for frame in frames if frame.event == "item"), *held]


@pytest.mark.parametrize("path", ["/v1/log/events", "/v1/threads/t/events"])
def test_to_ask_for_headers_alone_is_not_to_follow(client: TestClient, path: str) -> None:
    assert client.head(path).status_code == 405


def test_a_stream_that_ends_at_the_present_is_what_a_read_shows(
    address: str, threads: Threads, views: Views
) -> None:
    threads.start("t", {"policy": "record"})
    tell(threads, *STORY, calls("zz"))
    for view in PLAIN:
        frames = heard(address, f"/v1/threads/t/events?view={view}&follow=false")
        assert as_list(frames) == shown(views, view)


def test_what_is_heard_live_is_what_a_read_shows(
    address: str, threads: Threads, views: Views
) -> None:
    threads.start("t", {"policy": "record"})
    heard_of: dict[str, list[Frame]] = {view: [] for view in PLAIN}
    with ExitStack() as stack:
        streams = {
            view: stack.enter_context(listening(address, f"/v1/threads/t/events?view={view}"))
            for view in PLAIN
        }
        for draft in [*STORY, calls("zz"), reply("the last")]:
            threads.append("t", [draft])
            for view, stream in streams.items():
                while as_list(heard_of[view]) != shown(views, view):
                    heard_of[view].append(stream.next())
    for frames in heard_of.values():
        keys = [frame.id for frame in frames if frame.event == "item"]
        assert len(set(keys)) == len(keys)


def test_a_stream_goes_on_after_any_of_its_places(address: str, threads: Threads) -> None:
    threads.start("t", {"policy": "record"})
    tell(threads, *STORY, calls("zz"))
    for view in PLAIN:
        path = f"/v1/threads/t/events?view={view}&follow=false"
        whole = heard(address, path)
        for index, frame in enumerate(whole):
            if frame.id is not None and index % 2:
                by_header = heard(address, path, headers={"Last-Event-ID": frame.id})
                assert by_header == whole[index + 1 :]
        place = whole[0].id or ""
        assert heard(address, f"{path}&after={place}") == whole[1:]


def test_a_state_comes_whole_and_then_by_its_changes(
    address: str, threads: Threads, views: Views
) -> None:
    threads.start("t", {"policy": "record"})
    with listening(address, "/v1/threads/t/events?view=agent-state") as stream:
        first = stream.next()
        assert (first.event, first.id) == ("snapshot", "1")
        state = first.value
        for draft in [*STORY, reply("the last")]:
            threads.append("t", [draft])
        while state != _state(views):
            frame = stream.next()
            assert frame.event == "patch"
            state = jsonpatch.apply_patch(state, frame.value)
            version = int(frame.id or "")
            assert state == _state(views, version)
            resumed = heard(
                address,
                "/v1/threads/t/events?view=agent-state&follow=false",
                headers={"Last-Event-ID": frame.id},
            )
            assert all(patch.event == "patch" for patch in resumed)
            for patch in resumed:
                later = jsonpatch.apply_patch(state, patch.value)
                assert later == _state(views, int(patch.id or ""))
                break


def _state(views: Views, version: int | None = None) -> JsonValue:
    at = None if version is None else AtVersion(version)
    view = views.view("t", choose_view("agent-state"), at=at)
    assert isinstance(view, State)
    return view.state


def _letta(address: str, path: str) -> list[Any]:
    """Return what the real client makes of a stream, up to [DONE]."""
    client = Letta(base_url=address, api_key="none")
    with (
        httpx2.Client(trust_env=False, timeout=60) as plain,
        plain.stream("GET", f"{address}{path}") as response,
    ):
        stream: Stream[Any] = Stream(
            cast_to=LettaStreamingResponse,
            response=response,
            client=client,
        )
        return list(stream)


def test_the_real_letta_client_hears_a_turn_and_its_end(address: str, threads: Threads) -> None:
    turn = [STORY[1], STORY[3], calls("a"), results("a"), STORY[6], reply("Done."), STORY[-2]]
    tell(threads, *turn)
    expected = [
        ("user_message", "UserMessage"),
        ("reasoning_message", "ReasoningMessage"),
        ("tool_call_message", "ToolCallMessage"),
        ("tool_return_message", "ToolReturnMessage"),
        ("assistant_message", "AssistantMessage"),
        ("stop_reason", "LettaStopReason"),
        ("usage_statistics", "LettaUsageStatistics"),
    ]
    heard_by_client = _letta(address, "/v1/threads/t/events?view=letta")
    assert [
        (message.message_type, type(message).__name__) for message in heard_by_client
    ] == expected
    assert heard_by_client[-1].total_tokens == 7


def test_the_letta_client_outlives_heartbeats(app: FastAPI, address: str, threads: Threads) -> None:
    following_of(app).heartbeat_seconds = following_of(app).quiet_seconds = 0.02
    tell(threads, STORY[1])
    with ThreadPoolExecutor(1) as client:
        asking = client.submit(_letta, address, "/v1/threads/t/events?view=letta")
        with listening(address, "/v1/threads/t/events?view=letta") as beside:
            while following_of(app).count < 2:
                assert not asking.done(), asking.result()
                beside.line()
            for _ in range(10):  # heartbeats, which the client gets too
                beside.line()
        tell(threads, reply("Done."), STORY[-2])
        answers = asking.result(timeout=WAIT_SECONDS)
    assert [answer.message_type for answer in answers][-2:] == ["stop_reason", "usage_statistics"]


def test_a_call_that_waits_is_told_and_again_once_a_person_is_asked(
    address: str, threads: Threads
) -> None:
    path = "/v1/threads/t/events?view=letta"
    tell(threads, STORY[1])
    with listening(address, path) as stream:
        assert stream.next().value["message_type"] == "user_message"
        tell(threads, calls("a"))
        waiting = stream.next()
        assert waiting.value["message_type"] == "tool_call_message"
        tell(threads, {"type": "approval_request", "callId": "a", "tool": "f"})
        kinds = [
            frame.data if frame.data == "[DONE]" else frame.value["message_type"]
            for frame in stream.take(4)
        ]
        assert kinds == ["approval_request_message", "stop_reason", "usage_statistics", "[DONE]"]
    with listening(address, path, headers={"Last-Event-ID": str(waiting.id)}) as stream:
        assert stream.next().value["message_type"] == "approval_request_message"


def test_maria_hears_the_whole_history_on_every_connection(
    address: str, threads: Threads, views: Views
) -> None:
    threads.start("t", {"policy": "record"})
    tell(threads, *STORY)
    path = "/v1/threads/t/events?view=maria&follow=false"
    first, *events = heard(address, path, headers={"Last-Event-ID": "9.0"})
    assert (first.event, first.data) == ("maria.queued_messages.synchronized", "[]")
    assert {(frame.event, frame.id) for frame in events} == {("maria", None)}
    assert [frame.value for frame in events] == shown(views, "maria")
    _, *later = heard(address, f"{path}&after=18.0")
    assert [frame.value for frame in later] == shown(views, "maria")[-len(later) :]


@pytest.mark.parametrize(
    ("path", "status", "name"),
    [
        ("/v1/threads/t/events?view=nothing", 404, "unknown-view"),
        ("/v1/threads/t/events?colour=red", 422, "unknown-parameter"),
        ("/v1/threads/t/events?view=openai&repair=perhaps", 422, "invalid-view-option"),
        ("/v1/threads/t/events?after=x", 422, "invalid-cursor"),
        ("/v1/threads/t/events?after=9.0", 404, "future-moment"),
        ("/v1/threads/t/events?view=agent-state&after=1.0", 422, "invalid-cursor"),
        ("/v1/threads/t/events?view=agent-state&after=9", 404, "future-moment"),
        ("/v1/threads/t/events?at=9", 404, "future-moment"),
        ("/v1/threads/t/events?follow=perhaps", 422, "invalid-stream-parameter"),
        ("/v1/threads/t/events?speed=0", 422, "invalid-stream-parameter"),
        ("/v1/threads/t/events?speed=nan", 422, "invalid-stream-parameter"),
        ("/v1/threads/nowhere/events", 404, "unknown-thread"),
        ("/v1/threads/n%20o/events", 422, "invalid-thread-id"),
        ("/v1/log/events?after=x", 422, "invalid-cursor"),
        ("/v1/log/events?after=99", 404, "future-moment"),
        ("/v1/log/events?filter=metadata.:1", 422, "invalid-filter-text"),
        ("/v1/log/events?speed=-1", 422, "invalid-stream-parameter"),
    ],
)
def test_what_cannot_be_followed_is_a_problem_before_the_stream_begins(
    client: TestClient, threads: Threads, path: str, status: int, name: str
) -> None:
    tell(threads, reply("one"))
    problem_in(client.get(path), status, name)


def test_a_bad_last_event_id_is_a_problem_too(client: TestClient, threads: Threads) -> None:
    tell(threads, reply("one"))
    answer = client.get("/v1/threads/t/events", headers={"Last-Event-ID": "x"})
    problem_in(answer, 422, "invalid-cursor")


def test_at_ends_a_stream_at_that_moment(address: str, threads: Threads) -> None:
    tell(threads, *(reply(str(number)) for number in range(4)))
    frames = heard(address, "/v1/threads/t/events?at=2")
    assert [frame.value["text"] for frame in frames] == ["0", "1"]


def test_a_replay_keeps_the_pauses_between_messages_and_then_goes_on(
    address: str, threads: Threads
) -> None:
    tell(threads, *(reply(str(n), timestamp=NOON + 3000 * n) for n in (0, 1, 0)))
    began = time.monotonic()
    with listening(address, "/v1/threads/t/events?speed=10") as stream:
        assert [frame.value["text"] for frame in stream.take(3)] == ["0", "1", "0"]
        assert time.monotonic() - began >= 0.3
        tell(threads, reply("live"))
        assert stream.next().value["text"] == "live"
    assert len(heard(address, "/v1/threads/t/events?speed=100&follow=false")) == 4
    with listening(address, "/v1/log/events?speed=100") as stream:
        assert [frame.id for frame in stream.take(4)] == ["1", "2", "3", "4"]


def test_any_text_stands_on_one_line(address: str, threads: Threads) -> None:
    text = "\u2028 \u0085 \r\n \x00 \U0001f600 " + "x" * 2**20
    tell(threads, reply(text))
    (frame,) = heard(address, "/v1/threads/t/events?follow=false")
    assert frame.value["text"] == text
    (frame,) = heard(address, "/v1/log/events?follow=false")
    assert frame.value["message"]["text"] == text
