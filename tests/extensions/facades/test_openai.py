"""OpenAI's client of today, with the address of the service: strict and not, sync and async."""

import asyncio
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openai import (
    APIStatusError,
    AsyncOpenAI,
    ConflictError,
    InternalServerError,
    NotFoundError,
    OpenAI,
    UnprocessableEntityError,
)
from openai.types.conversations import ConversationItem
from pydantic import TypeAdapter

from agentlog.domain.access import SCOPES
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import app_over, end_following
from tests.api.keyholders import bearing, make_key
from tests.api.routes import NEEDS
from tests.api.servers import running
from tests.histories import examples, json_values
from tests.projections import openai_items

USER: Any = {"role": "user", "content": "Where is parcel 7?"}
CALL: Any = {"type": "function_call", "call_id": "a", "name": "track", "arguments": "{}"}
OUTPUT: Any = {"type": "function_call_output", "call_id": "a", "output": "en route"}
ANSWER: Any = {"role": "assistant", "content": "It is on its way."}
KEY = "sk-secret-0123456789"
ITEMS = [USER, CALL, OUTPUT, ANSWER]
STORY = [
    {"type": "system", "text": "Be kind."},
    {"type": "input", "text": "Where is it?"},
    {"type": "llm_request", "model": "m-1"},
    {
        "type": "llm_response",
        "model": "m-1",
        "finishReason": "stop",
        "usage": {"inputTokens": 11, "outputTokens": 7},
        "metadata": {"responseId": "r1"},
    },
    {
        "type": "tool_calls",
        "calls": [{"id": "a", "name": "track", "args": {}}],
        "metadata": {"responseId": "r1"},
    },
    {"type": "tool_results", "results": [{"callId": "a", "output": "en route"}]},
    {"type": "reply", "text": "On its way.", "metadata": {"responseId": "r2"}},
]
"""Versions 2 to 8 of the thread `story`."""


@pytest.fixture
def database(own_database: Database) -> Database:
    """Keys are made in it."""
    return own_database


@pytest.fixture
def address(app: FastAPI, client: TestClient) -> Iterator[str]:
    """Where the service is; the thread `story` is there."""
    started = {"threadId": "story", "metadata": {"team": "desk", "size": 2}}
    client.post("/v1/threads", json=started).raise_for_status()
    client.post("/v1/threads/story/messages", json=STORY).raise_for_status()
    with running(app) as (_, url):
        yield f"{url}/openai/v1"


@contextmanager
def asked(address: str, *, strict: bool = True) -> Iterator[OpenAI]:
    with OpenAI(base_url=address, api_key="any", _strict_response_validation=strict) as openai:
        yield openai


@pytest.fixture(params=[True, False], ids=["strict", "loose"])
def openai(address: str, request: pytest.FixtureRequest) -> Iterator[OpenAI]:
    with asked(address, strict=request.param) as opened:
        yield opened


def texts(items: Sequence[Any]) -> list[Any]:
    return [item.content[0].text if item.type == "message" else item.type for item in items]


def test_a_conversation_is_made_read_and_changed(openai: OpenAI) -> None:
    made = openai.conversations.create(items=ITEMS, metadata={"team": "desk"})
    assert made.metadata == {"team": "desk"}
    items = list(openai.conversations.items.list(made.id, order="asc", limit=2))
    assert texts(items) == [
        USER["content"],
        "function_call",
        "function_call_output",
        ANSWER["content"],
    ]
    newest = openai.conversations.items.list(made.id, limit=1)
    assert (newest.data[0].id, newest.has_more) == (items[-1].id, True)
    assert (
        openai.conversations.items.retrieve(str(items[1].id), conversation_id=made.id) == items[1]
    )
    updated = openai.conversations.update(made.id, metadata={"size": "2"})
    assert updated == openai.conversations.retrieve(made.id)
    assert updated.metadata == {"size": "2"}
    before = openai.conversations.retrieve(made.id, extra_query={"at": "2"})
    assert before.metadata == {"team": "desk"}


def test_items_are_added_deleted_and_still_there_before(openai: OpenAI) -> None:
    made = openai.conversations.create()
    added = openai.conversations.items.create(made.id, items=ITEMS)
    assert added.data == list(openai.conversations.items.list(made.id, order="asc"))
    second = str(added.data[1].id)
    assert openai.conversations.items.delete(second, conversation_id=made.id).id == made.id
    with pytest.raises(NotFoundError):
        openai.conversations.items.retrieve(second, conversation_id=made.id)
    with pytest.raises(NotFoundError):
        openai.conversations.items.delete(second, conversation_id=made.id)
    assert len(list(openai.conversations.items.list(made.id))) == len(ITEMS) - 1
    past = openai.conversations.items.list(made.id, order="asc", extra_query={"at": "4"})
    assert past.data == added.data[:2]
    assert openai.conversations.delete(made.id).deleted
    assert list(openai.conversations.items.list(made.id)) == []
    again = openai.conversations.items.create(made.id, items=[added.data[1].to_dict()])
    assert [item.id for item in again.data] == [second]


def test_any_thread_is_a_conversation_of_which_nothing_is_deleted(openai: OpenAI) -> None:
    assert openai.conversations.retrieve("story").metadata == {"team": "desk", "size": "2"}
    items = list(openai.conversations.items.list("story", order="asc"))
    assert [item.type for item in items] == [
        *["message"] * 2,
        *["function_call", "function_call_output", "message"],
    ]
    with pytest.raises(ConflictError, match=r"session\.started"):
        openai.conversations.items.delete(str(items[0].id), conversation_id="story")


def test_completions_are_the_messages_of_the_assistant(openai: OpenAI) -> None:
    first, second = openai.chat.completions.list()
    assert [first.id, second.id] == ["story~6", "story~8"]
    assert (first.model, first.choices[0].finish_reason) == ("m-1", "stop")
    assert first.usage is not None
    assert first.usage.total_tokens == 18
    assert (second.model, second.usage) == ("unknown", None)
    assert second.choices[0].message.content == "On its way."
    assert list(openai.chat.completions.list(order="desc", limit=1)) == [second, first]
    assert list(openai.chat.completions.list(model="m-1")) == [first]
    assert list(openai.chat.completions.list(metadata={"size": "2"})) == [first, second]
    assert list(openai.chat.completions.list(metadata={"size": "3"})) == []
    assert openai.chat.completions.retrieve(second.id) == second
    assert (
        openai.chat.completions.retrieve("story", extra_query={"at": "7"}).choices == first.choices
    )
    assert openai.chat.completions.update(second.id, metadata={"team": "x"}).id == second.id
    assert openai.conversations.retrieve("story").metadata == {"team": "x"}
    assert openai.chat.completions.delete(second.id).deleted
    assert [completion.id for completion in openai.chat.completions.list()] == [first.id]


def test_messages_of_a_completion_are_those_before_it(address: str) -> None:
    with asked(address, strict=False) as openai:  # its type has assistants only
        messages = list(openai.chat.completions.messages.list("story~8", limit=2))
    assert [(message.role, message.content) for message in messages] == [
        ("system", "Be kind."),
        ("user", "Where is it?"),
        ("assistant", None),
        ("tool", "en route"),
    ]


def test_a_response_has_its_items_and_those_before_it(openai: OpenAI) -> None:
    response = openai.responses.retrieve("story~8")
    assert response.output_text == "On its way."
    assert response.conversation is not None
    assert response.conversation.id == "story"
    inputs = list(openai.responses.input_items.list("story~8", order="asc", limit=3))
    assert [item.type for item in inputs] == [
        *["message"] * 2,
        *["function_call", "function_call_output"],
    ]
    with openai.responses.retrieve("story", stream=True, starting_after=1) as stream:
        events = list(stream)
    assert [event.type for event in events] == [
        "response.output_item.added",
        "response.output_item.done",
        "response.completed",
    ]
    assert events[0].sequence_number == 2
    with pytest.raises(ConflictError, match="ended"):
        openai.responses.cancel("story~8")
    openai.responses.delete("story~8")
    with pytest.raises(NotFoundError):
        openai.responses.retrieve("story~8")
    assert openai.responses.retrieve("story").id == "story"


def test_what_needs_a_model_is_asked_once_and_refused(openai: OpenAI) -> None:
    ways: list[Callable[[], object]] = [
        lambda: openai.chat.completions.create(model="m", messages=[USER]),
        lambda: openai.responses.create(model="m", input="hi"),
        lambda: openai.responses.compact(model="gpt-5.6-sol"),
        openai.responses.input_tokens.count,
    ]
    for ask in ways:
        with pytest.raises(APIStatusError, match="AGENTLOG_GATEWAY_URL") as refused:
            ask()
        assert refused.value.status_code == 501
        assert refused.value.code == "needs-model"
        assert refused.value.response.headers["x-should-retry"] == "false"


def test_a_gateway_that_is_away_is_said_to_be(database: Database, threads: Threads) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    app = app_over(database, threads, gateway_url=f"http://127.0.0.1:{port}/openai/v1")
    with (
        running(app) as (_, url),
        OpenAI(base_url=f"{url}/openai/v1", api_key=KEY, max_retries=0) as openai,
    ):
        ways: list[Callable[[], object]] = [
            lambda: openai.chat.completions.create(model="m", messages=[USER]),
            lambda: openai.responses.create(model="m", input="hi", stream=True),
        ]
        for ask in ways:
            with pytest.raises(InternalServerError, match="AGENTLOG_GATEWAY_URL") as refused:
                ask()
            assert refused.value.status_code == 503
            assert refused.value.code == "gateway-unreachable"
            assert refused.value.response.headers["retry-after"] == "1"
            assert KEY not in str(refused.value)
    end_following(app)


def test_what_is_not_there_or_wrong_is_told_in_openais_shape(openai: OpenAI) -> None:
    for ask in (
        lambda: openai.conversations.retrieve("nothing"),
        lambda: openai.conversations.items.list("nothing"),
        lambda: openai.conversations.items.list("story", after="nothing"),
        lambda: openai.conversations.retrieve("story", extra_query={"at": "99"}),
        lambda: openai.chat.completions.retrieve("nothing~1"),
        lambda: openai.responses.retrieve("nothing"),
    ):
        with pytest.raises(NotFoundError) as missing:
            ask()
        assert missing.value.type == "invalid_request_error"
    with pytest.raises(UnprocessableEntityError) as refused:
        openai.conversations.items.create("story", items=[{"foo": 1}])
    assert refused.value.param == "items[0]"


def test_the_asynchronous_client_reads_and_writes_the_same(address: str) -> None:
    async def use() -> None:
        async with AsyncOpenAI(
            base_url=address, api_key="any", _strict_response_validation=True
        ) as openai:
            made = await openai.conversations.create(items=ITEMS)
            items = openai.conversations.items.list(made.id)
            assert len([item async for item in items]) == len(ITEMS)
            completions = openai.chat.completions.list(limit=1)
            assert len([completion async for completion in completions]) == 4
            response = await openai.responses.retrieve("story")
            assert response.output_text == "On its way."

    asyncio.run(use())


@settings(examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=st.lists(openai_items.items, min_size=1, max_size=3))
def test_items_of_every_kind_are_what_they_were(client: TestClient, items: list[Any]) -> None:
    """With an id and what the types require, where it was missing."""
    made = client.post("/openai/v1/conversations", json={"items": items}).raise_for_status().json()
    url = f"/openai/v1/conversations/{made['id']}/items?order=asc"
    listed = client.get(url).raise_for_status().json()["data"]
    for item, sent in zip(listed, items, strict=True):
        assert item["id"] == (sent.get("id") or item["id"])
        assert {**item, **sent, "id": item["id"]} == {**item, "id": item["id"]} | {
            key: None for key, value in sent.items() if value is None
        }
        TypeAdapter(ConversationItem).validate_python(item)


@settings(examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=json_values, query=st.sampled_from(["", "?limit=0", "?at=x", "?order=up", "?after="]))
def test_bad_input_is_refused_in_openais_shape(client: TestClient, body: Any, query: str) -> None:
    client.post("/v1/threads", json={"threadId": "t"})
    for name in NEEDS:
        method, template = name.replace("{model:path}", "gpt-x").split()
        if template.startswith("/openai/"):
            path = template.format(thread_id="t", answer_id="t~1", item_id="x")
            for sent in (body, {"items": body}, {"metadata": body}, {"items": [body]}):
                answer = client.request(method, path + query, json=sent)
                assert answer.status_code < 500 or answer.status_code == 501
                if answer.status_code >= 400:
                    assert answer.json()["error"].keys() == {"message", "type", "param", "code"}


def test_a_strangers_key_finds_nothing_of_ours(app: FastAPI, client: TestClient) -> None:
    ours = bearing(make_key(app, *SCOPES))
    theirs = bearing(make_key(app, *SCOPES, tenant="strangers"))
    started = {"threadId": "t", "metadata": {"team": "our-own-words"}}
    client.post("/v1/threads", json=started, headers=ours).raise_for_status()
    session = [{"type": "session.started"}, {"type": "reply", "text": "our-own-words"}]
    client.post("/v1/threads/t/messages", json=session, headers=ours).raise_for_status()
    (item,) = client.get("/openai/v1/conversations/t/items", headers=ours).json()["data"]
    seen = 0
    for name in NEEDS:
        method, template = name.replace("{model:path}", "gpt-x").split()
        if not template.startswith("/openai/"):
            continue
        path = template.format(thread_id="t", answer_id="t~3", item_id=item["id"])
        body = {"items": [USER]} if template.endswith("/items") else {"metadata": {}}
        answer = client.request(method, path, headers=theirs, json=body)
        assert "our-own-words" not in answer.text
        assert answer.status_code == 404 or "{" not in template, name
        if method == "GET":
            seen += "our-own-words" in client.request(method, path, headers=ours).text
    assert seen == 6


def test_the_models_are_those_on_record(client: TestClient) -> None:
    assert client.get("/openai/v1/models").json()["data"] == []
    answers = [{"type": "llm_response", "model": model} for model in ("gpt-x", "org/m", "gpt-x")]
    client.post("/v1/threads/t/messages", json=answers)
    listed = client.get("/openai/v1/models").json()
    assert [model["id"] for model in listed["data"]] == ["gpt-x", "org/m"]
    for model in listed["data"]:
        assert client.get(f"/openai/v1/models/{model['id']}").json() == model
        assert model.keys() == {"id", "object", "created", "owned_by"}
    assert client.get("/openai/v1/models/other").status_code == 404
