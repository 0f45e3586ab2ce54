"""Both clients ask a real service."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from agentlog_client import (
    AgentlogError,
    AsyncClient,
    Client,
    Conflict,
    InvalidRequest,
    NotAllowed,
    NotAuthenticated,
    NotJson,
    NotThere,
    Problem,
    ServiceAway,
    VersionConflict,
)
from agentlog_client.destination import Destination
from agentlog_client.models import InputMessage, ToolCall, ToolCallsMessage
from agentlog_client.operation import metadata_terms
from tests.api.keyholders import empty_keys, make_key
from tests.client.conftest import async_client_of, client_of
from tests.histories import examples

QUESTION = {"type": "input", "text": "Where is my parcel?"}
ANSWER = {"type": "reply", "text": "In Hamburg."}


def test_what_is_appended_is_read_at_any_point(client: Client) -> None:
    appended = client.append("parcel", [QUESTION, ANSWER])
    assert (appended.thread_id, appended.version) == ("parcel", 2)
    question = {"role": "user", "content": "Where is my parcel?"}
    answer = {"role": "assistant", "content": "In Hamburg."}
    first, second = client.messages("parcel", limit=1)
    for at in (1, "1", f"@{first.position}", first.message["id"]):
        assert client.view("parcel", "openai", at=at).items == [question]
    assert client.view("parcel", "openai").items == [question, answer]
    assert client.view("parcel", "openai", at=datetime.now(UTC)).items == [question, answer]
    assert client.view("parcel", "agent-state", history=False).state["history"] == []
    assert client.diff("parcel", begin=1, end=2).patch is not None
    assert client.outline("parcel").version == 2
    assert client.why("parcel", at=1).outcome.verdict == "unknown"
    assert client.message("parcel", second.message["id"]).message == second.message


def test_reads_wait_for_what_was_appended(client: Client) -> None:
    position = client.append("parcel", QUESTION).position
    assert client.thread("parcel", wait=position).version == 1
    assert [thread.position for thread in client.threads(wait=position)] == [position]
    assert client.log(wait=position)
    assert client.view("parcel", "openai", wait=position).items
    with pytest.raises(NotThere, match="is not there yet"):
        client.thread("parcel", wait=position + 1)


def test_objects_of_models_are_messages_too(client: Client) -> None:
    call = ToolCall(id="call_1", name="track", args={"parcel": 4711, "none": None})
    client.append("typed", [InputMessage(text="Where?"), ToolCallsMessage(calls=[call])])
    client.append("also", {"type": "tool_calls", "calls": [call]})
    for thread in ("typed", "also"):
        *_, calls = client.messages(thread)
        assert calls.message["type"] == "tool_calls"
        assert calls.message["calls"] == [call.model_dump(by_alias=True, exclude_unset=True)]


def test_an_append_that_is_sent_again_writes_nothing(client: Client) -> None:
    message = {"id": "01KB3Z5D0C8Q4M2T6V9X1Y7ZAB", **QUESTION}
    assert [client.append("again", message).messages[0].replayed for _ in range(2)] == [0, 1]


def test_many_threads_are_appended_to_at_once(client: Client) -> None:
    refused = {"type": "no_such_type"}
    first, second, third = client.append_many(
        [("one", [QUESTION]), ("two", [refused]), ("three", [QUESTION, ANSWER])]
    )
    assert isinstance(second, InvalidRequest)
    assert not isinstance(first, Problem)
    assert not isinstance(third, Problem)
    assert (first.version, third.version) == (1, 2)


def test_threads_are_started_annotated_listed_and_closed(client: Client) -> None:
    started = client.start_thread("told", goal="Find it", metadata={"team": "a", "n": 5})
    assert client.start_thread("told", goal="Find it", metadata={"team": "a", "n": 5}) != started
    client.start_thread(goal="Another", metadata={"team": "5", "n": "5"})
    client.annotate_thread("told", {"team": "b", "n": None})
    assert client.thread("told").metadata == {"team": "b"}
    assert [
        thread.goal for thread in client.threads(filter=metadata_terms({"n": "5"}), limit=1)
    ] == ["Another"]
    assert [thread.goal for thread in client.threads(limit=1)] == ["Find it", "Another"]
    client.close_thread("told", reason="done")
    assert client.thread("told").status == "closed"
    with pytest.raises(Conflict) as caught:
        client.append("told", QUESTION)
    assert caught.value.type == "rule-broken"


def test_a_closed_thread_is_noted_labelled_and_judged(client: Client) -> None:
    client.append("judged", [QUESTION, ANSWER])
    client.close_thread("judged")
    note = client.note("judged", "Which town?", on=1, by="sam").version
    client.note("judged", "Which street?", replaces=note)
    client.label("judged", "vip", "new")
    client.label("judged", remove=["new"])
    client.judge("judged", "fail", criterion="true", score=0.5)
    client.judge("judged", "pass")
    thread = client.thread("judged")
    assert thread.labels == ["vip"]
    assert [(said.criterion, said.verdict, said.score) for said in thread.judgements] == [
        ("true", "fail", 0.5),
        (None, "pass", None),
    ]
    remarks: Any = client.view("judged", "remarks").state
    assert [(note["text"], note["on"]) for note in remarks["notes"]] == [("Which street?", 1)]
    client.note("judged", replaces=note)
    client.judge("judged", criterion="true")
    assert [said.verdict for said in client.thread("judged").judgements] == ["pass"]


def test_forks_comparisons_files_and_searches(client: Client) -> None:
    client.append("origin", [QUESTION, ANSWER])
    fork = client.fork("origin", at=1, as_thread="forked")
    assert client.fork("origin", at=1, as_thread="forked").replayed
    assert fork.forked_from.thread == "origin"
    client.append("forked", {"type": "reply", "text": "In Rome."})
    assert client.compare("origin", "forked").comparisons[0].items
    assert [node.thread_id for node in client.forks("origin").items] == ["origin", "forked"]
    with pytest.raises(NotThere, match="no recorded exchanges"):
        client.hazards("origin")
    digest = client.put_blob(b"Signed: Ada").sha256
    assert client.get_blob(digest) == b"Signed: Ada"
    assert client.audit_thread("origin").verdict == "whole"
    assert {event.thread_id for event in client.log()} == {"origin", "forked"}


@pytest.mark.parametrize("text", ["é\x00\u2028\U0001f600", "\u0301\u202e", '"\\\n'])
def test_any_text_comes_back(client: Client, text: str) -> None:
    client.append("texts", {"type": "input", "text": text})
    assert next(iter(client.messages("texts"))).message["text"] == text


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**64, max_value=2**200)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False).filter(
        lambda number: Decimal(repr(float(number))) != number
    )
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda values: (
        st.lists(values, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), values, max_size=4)
    ),
    max_leaves=12,
)


def test_any_json_comes_back_equal(client: Client) -> None:
    @examples(60)
    @given(payload=JSON)
    def comes_back(payload: object) -> None:
        appended = client.append("any", {"type": "test.any", "payload": payload})
        event = client.message("any", appended.messages[0].id)
        assert event.message["payload"] == payload

    comes_back()


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), Decimal("NaN"), "\ud800", object(), {1, 2}, b"bytes"]
)
def test_what_json_cannot_say_is_not_sent(client: Client, value: object) -> None:
    with pytest.raises(NotJson):
        client.append("not-json", {"type": "test.any", "payload": [value]})


def test_a_refusal_says_what_is_wrong_and_where(client: Client) -> None:
    with pytest.raises(InvalidRequest) as caught:
        client.append("wrong", [QUESTION, {"type": "reply", "text": 5}])
    assert caught.value.status == 422
    assert caught.value.type == "invalid-message"
    assert [error.place for error in caught.value.errors] == ["messages[1].text"]
    with pytest.raises(NotThere):
        client.view("nowhere")
    client.append("here", QUESTION)
    with pytest.raises(VersionConflict):
        client.append("here", ANSWER, expected_version=7)


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_what_is_no_id_never_leaves_the_client(client: Client, name: str) -> None:
    with pytest.raises(ValueError, match="is no id"):
        client.thread(name)


def test_keys_are_sent_and_their_refusals_told(app: FastAPI, url: str, database: Any) -> None:
    reading = make_key(app, "read").reveal()
    try:
        with client_of(url) as anonymous, pytest.raises(NotAuthenticated):
            list(anonymous.threads())
        with client_of(url, key=reading) as reader:
            assert reader.own_key().scopes == ["read"]
            with pytest.raises(NotAllowed):
                reader.append("t", QUESTION)
    finally:
        empty_keys(database)


def test_a_service_that_is_away_is_an_error_of_ours() -> None:
    with client_of("http://127.0.0.1:9") as client, pytest.raises(ServiceAway) as caught:
        client.thread("t")
    assert isinstance(caught.value, AgentlogError)
    assert "127.0.0.1:9" in str(caught.value)


def test_a_followed_thread_ends_at_the_present_where_asked(client: Client) -> None:
    client.append("followed", [QUESTION, ANSWER])
    frames = client.follow("followed", "openai", follow=False)
    assert next(frame.json()["role"] for frame in frames if frame.event == "item") == "user"
    events = client.follow_log(after=0, follow=False)
    assert [event.version for event in events if event.thread_id == "followed"] == [1, 2]


async def _asked(client: AsyncClient) -> None:
    appended = await client.append("parcel", [QUESTION, ANSWER])
    assert appended.version == 2
    view = await client.view("parcel", "openai", at=1)
    assert view.items == [{"role": "user", "content": "Where is my parcel?"}]
    assert [event.version async for event in client.messages("parcel", limit=1)] == [1, 2]
    async with aclosing(client.follow_log(after=0)) as events:
        assert [(await anext(events)).version for _ in range(2)] == [1, 2]
    with pytest.raises(NotThere):
        await client.thread("nowhere")
    with pytest.raises(InvalidRequest):
        await client.append("parcel", {"type": "reply"})


def test_asyncio_asks_the_same(url: str) -> None:
    _run(url, _asked)


def _run(url: str, ask: Callable[[AsyncClient], Awaitable[None]]) -> None:
    async def main() -> None:
        async with async_client_of(url) as client:
            await ask(client)

    asyncio.run(main())


def test_methods_have_the_signatures_of_their_operations(client: Client) -> None:
    assert list(inspect.signature(client.append).parameters) == [
        "thread_id",
        "messages",
        "expected_version",
    ]
    assert inspect.getdoc(client.append) is not None


def test_an_empty_key_is_none_whatever_the_environment_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLOG_KEY", "agentlog_a_b")
    assert Destination.of(None, None).key == "agentlog_a_b"
    assert Destination.of(None, "").key is None
