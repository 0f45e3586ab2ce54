"""What is recorded is in the log, as it was given or as JSON can say it."""

import asyncio
import gc
import json
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessage

from agentlog.domain.identifiers import message_id_of
from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.exchanges.reconstruction import frozen_call
from agentlog_client import Client, Recorder, Trouble
from agentlog_client.destination import Destination
from agentlog_client.recorder.spool import default_folder
from tests.api.conftest import threads_over
from tests.api.keyholders import empty_keys, make_key
from tests.client.conftest import client_of
from tests.client.recorder.conftest import NOWHERE, Recorders, texts
from tests.histories import examples, json_values
from tests.waiting import WAIT_SECONDS, until


def test_an_agent_is_recorded_by_a_line_a_step(client: Client, recorders: Recorders) -> None:
    recorder = recorders("parcel-4711")
    recorder.input("Where is my parcel?")
    recorder.tool_calls([{"id": "call_1", "name": "track", "args": {"parcel": 4711}}])
    recorder.tool_results([{"callId": "call_1", "output": {"at": "Hamburg"}}])
    recorder.reply("In Hamburg.")
    assert recorder.flush(WAIT_SECONDS)
    view = client.view("parcel-4711", "openai")
    assert [item["role"] for item in view.items] == ["user", "assistant", "tool", "assistant"]
    assert client.thread("parcel-4711").policy == "record"


def test_every_kind_of_message_is_taken(
    client: Client, recorders: Recorders, troubles: list[Trouble]
) -> None:
    recorder = recorders("all")
    recorder.system("Be brief.")
    recorder.reasoning("hm", title="thinking")
    recorder.response(model="m", usage={"inputTokens": 5}, costUsd=0.1)
    recorder.error(ValueError("wrong"))
    recorder.error("worse")
    recorder.record({"type": "vendor.own", "payload": [1]})
    recorder.exit("error")
    assert recorder.flush(WAIT_SECONDS)
    types = [event.type for event in client.messages("all")][1:]
    assert types == [
        *("system", "reasoning", "llm_response", "runtime_error", "runtime_error"),
        *("vendor.own", "exit"),
    ]
    assert troubles == []


def test_a_request_is_recorded_with_what_changed_beside_it(
    client: Client, recorders: Recorders
) -> None:
    recorder = recorders("asked")
    tools = [{"type": "function", "function": {"name": "track"}}]
    for choice in ("auto", "auto", "required"):
        recorder.request(model="m-1", tools=tools, tool_choice=choice, temperature=0.5)
    assert recorder.flush(WAIT_SECONDS)
    requests = [event.type for event in client.messages("asked")][1:]
    assert requests == [
        "agentlog.request",
        "llm_request",
        "llm_request",
        "agentlog.request",
        "llm_request",
    ]
    assert client.view("asked", "request").state == {
        "model": "m-1",
        "tools": tools,
        "parameters": {"tool_choice": "required", "temperature": 0.5},
    }


def test_whole_requests_come_back_as_they_were_sent(
    database: Database, client: Client, recorders: Recorders
) -> None:
    recorder = recorders("whole")
    tools = [{"type": "function", "function": {"name": "track", "parameters": {}}}]
    call = {"id": "call_1", "type": "function", "function": {"name": "track", "arguments": "{}"}}
    sent: list[dict[str, Any]] = []
    context: list[dict[str, Any]] = []

    def ask(said: dict[str, Any], answer: dict[str, Any], **beside: Any) -> None:
        recorder.items([said], format="openai")
        recorder.request(**beside)
        recorder.items([answer], format="openai")
        context.append(said)
        sent.append({"messages": [*context], **beside})
        context.append(answer)

    recorder.items([{"role": "system", "content": "Be brief."}], format="openai")
    context.append({"role": "system", "content": "Be brief."})
    ask(
        {"role": "user", "content": "Where is my parcel?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        model="m-1",
        tools=tools,
        tool_choice="required",
        temperature=0.5,
        verbosity="low",
    )
    ask(
        {"role": "tool", "tool_call_id": "call_1", "content": "in Hamburg"},
        {"role": "assistant", "content": "In Hamburg."},
        model="m-2",
    )
    assert recorder.flush(WAIT_SECONDS)
    events = threads_over(database).messages("whole")
    answers = [event.version for event in events if event.type in {"tool_calls", "reply"}]
    calls = [frozen_call(events, version) for version in answers]
    assert [call.request for call in calls] == sent
    assert calls[0].missing == []
    states = [client.view("whole", "request", at=version).state for version in answers]
    assert states == [
        {
            "model": "m-1",
            "tools": tools,
            "parameters": {
                "tool_choice": "required",
                "temperature": 0.5,
                "verbosity": "low",
            },
        },
        {"model": "m-2", "tools": None, "parameters": None},
    ]


def test_messages_of_another_api_are_recorded_as_they_are(
    client: Client, recorders: Recorders, troubles: list[Trouble]
) -> None:
    recorder = recorders("items")
    recorder.items([{"role": "user", "content": "Where is my parcel?"}], format="openai")
    answer = ChatCompletionMessage.model_validate({"role": "assistant", "content": "In Hamburg."})
    recorder.items([answer], format="openai")
    assert recorder.flush(WAIT_SECONDS)
    assert troubles == []
    recorder.items([{"neither": "type nor role"}], format="openai")
    recorder.items([{"role": "user", "content": "Thanks."}], format="openai")
    assert recorder.flush(WAIT_SECONDS)
    items = client.view("items", "openai").items
    assert [item["content"] for item in items] == ["Where is my parcel?", "In Hamburg.", "Thanks."]
    assert [trouble.kind for trouble in troubles] == ["refused"]


def test_ids_of_frameworks_become_ids_of_messages(client: Client, recorders: Recorders) -> None:
    recorder, uuid = recorders("ids"), uuid4()
    for _ in range(2):
        assert recorder.reply("a", id=str(uuid)) == message_id_of(uuid.int)
        recorder.reply("b", id="run-5", timestamp=1_767_323_045_000)
    assert recorder.flush(WAIT_SECONDS)
    assert texts(client, "ids") == ["a", "b"]


def test_a_name_that_no_thread_can_have_is_kept_beside_its_id(
    client: Client, recorders: Recorders
) -> None:
    recorder = recorders("user ü/5")
    recorder.reply("a")
    assert recorder.flush(WAIT_SECONDS)
    (thread,) = client.threads(filter='metadata.source:"user ü/5"')
    assert thread.thread_id == recorder.thread_id


def test_threads_share_one_recorder(client: Client, recorders: Recorders) -> None:
    first = recorders("one")
    second = Recorder("two", goal="Another", parent="one", beside=first)
    first.reply("a")
    second.reply("b")
    assert second.flush(WAIT_SECONDS)
    assert (texts(client, "one"), texts(client, "two")) == (["a"], ["b"])
    assert client.thread("two").goal == "Another"


def test_a_thread_that_has_begun_goes_on(client: Client, recorders: Recorders) -> None:
    client.append("begun", {"type": "reply", "text": "a"})
    recorder = recorders("begun")
    recorder.reply("b")
    assert recorder.flush(WAIT_SECONDS)
    assert texts(client, "begun") == ["a", "b"]


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError


CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (float("nan"), "nan"),
        ("cut \ud83d", "cut \ufffd"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
        ({1: {2}, None: b"\x00"}, {"1": [2], "None": "AA=="}),
        (2**70, 2**70),
        ("\x00\u202e", "\x00\u202e"),
    ],
)
def test_what_json_cannot_say_is_kept_as_text_and_told(
    client: Client, recorders: Recorders, troubles: list[Trouble], value: object, kept: object
) -> None:
    recorder = recorders("mended")
    recorder.tool_results([{"callId": "c", "output": value}])
    assert recorder.flush(WAIT_SECONDS)
    *_, event = client.messages("mended")
    assert event.message["results"][0]["output"] == kept
    assert {trouble.kind for trouble in troubles} <= {"mended"}
    assert bool(troubles) == (kept != value)


@pytest.mark.parametrize("value", [Unspeakable(), CYCLE, object(), lambda: 0])
def test_no_value_stops_the_agent(
    recorders: Recorders, troubles: list[Trouble], value: Any
) -> None:
    recorder = recorders("stopped-by-nothing")
    recorder.reply(value)
    recorder.record(value)
    recorder.request(model=value)
    recorder.tool_calls(value)
    recorder.reply("after")
    assert recorder.flush(WAIT_SECONDS)
    assert troubles


def test_all_json_is_recorded_as_it_is(client: Client, recorders: Recorders) -> None:
    recorder = recorders("exact")

    @examples(40)
    @given(st.lists(json_values, max_size=5))
    def is_kept(payload: list[object]) -> None:
        message = recorder.record({"type": "test.any", "payload": payload})
        assert recorder.flush(WAIT_SECONDS)
        assert client.message("exact", message).message["payload"] == payload

    is_kept()


def test_one_bad_message_is_put_aside_and_its_batch_goes_on(
    client: Client, recorders: Recorders, folder: Path, troubles: list[Trouble]
) -> None:
    recorder = recorders("batch")
    for number in range(20):
        recorder.reply(f"{number}")
        if number % 7 == 3:
            recorder.record({"type": "reply", "text": number})
    assert recorder.flush(WAIT_SECONDS)
    assert texts(client, "batch") == [f"{number}" for number in range(20)]
    assert [trouble.kind for trouble in troubles] == ["refused"] * 3
    assert "messages[0].text" in troubles[0].text
    refused = map(json.loads, (folder / "refused.jsonl").read_text().splitlines())
    assert [line["message"]["text"] for line in refused] == [3, 10, 17]


def test_a_key_that_is_refused_ends_sending_and_another_sends_what_waits(
    app: FastAPI, database: Any, url: str, recorders: Recorders, troubles: list[Trouble]
) -> None:
    reading, appending = (make_key(app, scope).reveal() for scope in ("read", "append"))
    try:
        refused = recorders("keys", key=reading)
        refused.reply("first")
        assert not refused.flush(WAIT_SECONDS)
        refused.reply("second")
        refused.close()
        assert [trouble.kind for trouble in troubles] == ["not_allowed", "left"]
        allowed = recorders("other", key=appending)
        assert allowed.flush(WAIT_SECONDS)
        with client_of(url, key=reading) as reader:
            assert texts(reader, "keys") == ["first", "second"]
    finally:
        empty_keys(database)


def test_messages_are_in_a_file_of_the_user_alone(
    recorders: Recorders, folder: Path, troubles: list[Trouble]
) -> None:
    recorder = recorders("private", url=NOWHERE)
    recorder.reply("secret")
    (file,) = folder.glob("*.spool")
    assert b"secret" in file.read_bytes()
    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    until(lambda: troubles)
    assert not recorder.flush(0.1)
    assert [trouble.kind for trouble in troubles] == ["away"]


def test_each_address_and_key_has_a_folder_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    destinations = [Destination.of(url, key) for url in ("http://a", "http://b") for key in "xy"]
    assert len({default_folder(to) for to in destinations}) == 4
    assert all(tmp_path in default_folder(to).parents for to in destinations)


def test_nothing_is_left_of_what_was_acknowledged(recorders: Recorders, folder: Path) -> None:
    recorder = recorders("gone")
    recorder.reply("x" * 2**20)
    recorder.reply("y" * 2**20)
    assert recorder.flush(WAIT_SECONDS)
    (file,) = folder.glob("*.spool")
    until(lambda: file.stat().st_size < 100)
    recorder.close()
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told_and_nothing_is_lost(
    client: Client, recorders: Recorders, folder: Path, troubles: list[Trouble]
) -> None:
    folder.write_text("no folder")
    recorder = recorders("memory")
    recorder.reply("a")
    recorder.reply("b")
    assert recorder.flush(WAIT_SECONDS)
    assert texts(client, "memory") == ["a", "b"]
    assert "not_written" in {trouble.kind for trouble in troubles}


def test_memory_is_bounded(recorders: Recorders, folder: Path, troubles: list[Trouble]) -> None:
    folder.write_text("no folder")
    recorder = recorders("full", url=NOWHERE)
    for _ in range(9):
        recorder.reply("x" * 8 * 2**20)
    assert recorder._uploader.spool.waiting <= 64 * 2**20
    assert "dropped" in {trouble.kind for trouble in troubles}


def test_threads_record_at_once(client: Client, recorders: Recorders) -> None:
    recorder = recorders("many")

    def record(name: str) -> None:
        for number in range(50):
            recorder.reply(f"{name} {number}")

    workers = [threading.Thread(target=record, args=(name,)) for name in "abcd"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert recorder.flush(WAIT_SECONDS)
    recorded = texts(client, "many")
    for name in "abcd":
        own = [text for text in recorded if text.startswith(name)]
        assert own == [f"{name} {number}" for number in range(50)]


def test_asyncio_is_not_held_up(client: Client, recorders: Recorders) -> None:
    recorder = recorders("loop")

    async def run() -> bool:
        for number in range(3):
            recorder.reply(f"{number}")
            await asyncio.sleep(0)
        return await asyncio.to_thread(recorder.flush, WAIT_SECONDS)

    assert asyncio.run(run())
    assert texts(client, "loop") == ["0", "1", "2"]


def test_a_closed_recorder_goes_on_with_the_next_message(
    client: Client, recorders: Recorders
) -> None:
    recorder = recorders("reopened")
    with recorder:
        recorder.reply("a")
    recorder.reply("b")
    assert recorder.flush(WAIT_SECONDS)
    assert texts(client, "reopened") == ["a", "b"]


def test_a_forgotten_recorder_ends_its_thread(url: str, folder: Path) -> None:
    recorder = Recorder("forgotten", url=url, spool=folder)
    uploader = recorder._uploader
    assert uploader._thread is not None
    del recorder
    gc.collect()
    until(lambda: uploader._thread is None)
    assert list(folder.iterdir()) == []
