"""OpenAI's client asks models through the service and a real gateway, which records them."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from agents import Agent, OpenAIResponsesModel, RunConfig, Runner, function_tool
from openai import (
    APIError,
    APIStatusError,
    AuthenticationError,
    InternalServerError,
    NotFoundError,
    OpenAI,
    PermissionDeniedError,
    RateLimitError,
)

from tests.command_line import agentlog
from tests.databases import new_database
from tests.extensions.facades.openai_place import PROVIDERS_KEY, Place, placed
from tests.gateways import gateway, settings_for
from tests.providers.server import Fault
from tests.test_examples import EXAMPLES, FOLDER
from tests.waiting import until

USER: Any = {"role": "user", "content": "Where is parcel 7?"}
TOOL: Any = {
    "type": "function",
    "name": "track",
    "parameters": {"type": "object", "properties": {"parcel": {"type": "string"}}},
    "strict": False,
}


@pytest.fixture(name="place", scope="module")
def _place(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    with (
        new_database(server_url, template=template_database) as url,
        placed(url, tmp_path_factory.mktemp("gateway")) as place,
    ):
        yield place


@pytest.fixture(name="key", scope="module")
def _key(place: Place) -> str:
    return place.make_key("default", "append", "read")


@pytest.fixture(name="openai")
def _openai(place: Place, key: str) -> Iterator[OpenAI]:
    with place.client(key) as openai:
        yield openai


def texts(openai: OpenAI, conversation: str) -> list[Any]:
    """Return what a conversation has: texts of messages, and types of other items."""
    items = openai.conversations.items.list(conversation, order="asc")
    return [
        "".join(part.text for part in item.content) if item.type == "message" else item.type
        for item in items
    ]


def test_a_conversation_goes_on_with_its_items_and_gets_the_answer(
    place: Place, openai: OpenAI
) -> None:
    conversation = openai.conversations.create(items=[USER]).id
    first = openai.responses.create(
        model="m", conversation=conversation, input="And 8?", tools=[TOOL], instructions="Be kind."
    )
    (call,) = first.output
    assert call.type == "function_call"
    assert place.sent_input() == [USER, {"role": "user", "content": "And 8?"}]
    sent = place.provider.requests[-1]
    assert "conversation" not in sent.json
    assert sent.headers["authorization"] == f"Bearer {PROVIDERS_KEY}"
    assert not [name for name in sent.headers if "agentlog" in name]
    asked = [USER["content"], "And 8?", "function_call"]
    assert [text for text in texts(openai, conversation) if text != "Be kind."] == asked
    output: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "en route"}
    second = openai.responses.create(model="m", conversation=conversation, input=[output])
    assert second.output_text == "Done after 1 calls."
    kinds = [item.get("type", item.get("role")) for item in place.sent_input()]
    assert kinds == ["user", "user", "function_call", "function_call_output"]
    third = openai.responses.create(
        model="m", conversation={"id": conversation}, input=[USER], instructions="Be brief."
    )
    assert place.sent_input()[-2:] == [{"role": "assistant", "content": second.output_text}, USER]
    assert [text for text in texts(openai, conversation) if not text.startswith("Be ")] == [
        *asked,
        "function_call_output",
        second.output_text,
        USER["content"],
        third.output_text,
    ]
    for response in (first, second, third):
        kept = openai.responses.retrieve(response.id)
        assert (kept.id, kept.output, kept.usage) == (response.id, response.output, response.usage)
        assert kept.conversation is not None
        assert kept.conversation.id == conversation
    assert agentlog("verify", url=place.gateway.database_url).code == 0


def test_a_previous_response_goes_on_in_its_thread_or_in_one_of_its_own(
    place: Place, openai: OpenAI
) -> None:
    first = openai.responses.create(model="m", input="first of all", instructions="Be kind.")
    second = openai.responses.create(
        model="m", previous_response_id=first.id, input="and then", tools=[TOOL]
    )
    said = [{"role": "assistant", "content": first.output_text}]
    begun = [{"role": "user", "content": "first of all"}, *said]
    assert place.sent_input() == [*begun, {"role": "user", "content": "and then"}]
    assert "previous_response_id" not in place.provider.requests[-1].json
    thread = openai.responses.retrieve(second.id).conversation
    assert thread == openai.responses.retrieve(first.id).conversation
    assert thread is not None
    assert texts(openai, thread.id)[0] == "Be kind."
    whole = ["first of all", first.output_text, "and then", "function_call"]
    assert texts(openai, thread.id)[1:] == whole
    other = openai.responses.create(model="m", previous_response_id=first.id, input="or else")
    assert place.sent_input() == [*begun, {"role": "user", "content": "or else"}]
    assert texts(openai, thread.id)[1:] == whole
    branch = openai.responses.retrieve(other.id).conversation
    assert branch is not None
    assert texts(openai, branch.id) == [
        *["first of all", first.output_text],
        *["or else", other.output_text],
    ]
    with pytest.raises(NotFoundError):
        openai.responses.create(model="m", previous_response_id="resp_none", input="hi")
    with pytest.raises(APIStatusError, match="not both"):
        openai.responses.create(
            model="m", previous_response_id=first.id, conversation="conv", input="hi"
        )
    with pytest.raises(NotFoundError):
        openai.responses.create(model="m", conversation="conv_none", input="hi")


def test_streams_come_as_they_are_made_and_are_on_record_at_their_end(
    place: Place, key: str
) -> None:
    async def use() -> None:
        async with place.async_client(key) as openai:
            conversation = (await openai.conversations.create()).id
            for number in range(3):
                asked = f"question {number}"
                async with openai.responses.stream(
                    model="m", conversation=conversation, input=asked
                ) as stream:
                    kinds = [event.type async for event in stream]
                    answer = await stream.get_final_response()
                assert kinds[0] == "response.created"
                assert kinds.count("response.output_text.delta") > 1
                items = await openai.conversations.items.list(conversation, order="asc")
                assert len(items.data) == 2 * (number + 1)
                kept = await openai.responses.retrieve(answer.id)
                assert kept.output_text == answer.output_text

    asyncio.run(use())


@function_tool
def track(parcel: str) -> str:
    """Say where a parcel is."""
    return f"{parcel} is in Hamburg"


@pytest.mark.parametrize("way", ["conversation", "responses"])
def test_agents_of_a_framework_run_unchanged(
    place: Place, openai: OpenAI, key: str, way: str
) -> None:
    """The Agents SDK leaves their conversation to the server, as it does to OpenAI's."""

    async def use() -> tuple[str, str]:
        async with place.async_client(key) as client:
            model = OpenAIResponsesModel("m", client)
            agent = Agent(name="desk", instructions="Be brief.", model=model, tools=[track])
            more: Any = {"auto_previous_response_id": True}
            if way == "conversation":
                more = {"conversation_id": (await client.conversations.create()).id}
            config = RunConfig(tracing_disabled=True)
            run = await Runner.run(agent, "Where is 7?", run_config=config, **more)
            if way == "responses":
                more["previous_response_id"] = run.last_response_id
            run = await Runner.run(agent, "And then?", run_config=config, **more)
            return str(run.last_response_id), str(run.final_output)

    last, output = asyncio.run(use())
    assert output == "Done after 2 calls."
    conversation = openai.responses.retrieve(last).conversation
    assert conversation is not None
    calls = ["function_call", "function_call_output"] * 2
    whole = ["Where is 7?", *calls, output, "And then?", output]
    assert [text for text in texts(openai, conversation.id) if text != "Be brief."] == whole
    sent = [item.get("type", item.get("role")) for item in place.sent_input()]
    assert sent == ["user", *calls, "assistant", "user"]


def test_completions_are_kept_by_their_ids_and_in_the_thread_named(
    place: Place, openai: OpenAI
) -> None:
    made = openai.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "kept?"}], store=True
    )
    assert place.provider.requests[-1].json["store"] is True
    kept = openai.chat.completions.retrieve(made.id)
    assert kept.choices[0].message.content == made.choices[0].message.content
    assert (kept.id, kept.model, kept.usage) == (made.id, made.model, made.usage)
    pieces = openai.chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "in pieces"}],
        tools=[{"type": "function", "function": {"name": "track", "parameters": {}}}],
        stream=True,
        extra_headers={"x-agentlog-thread": "named"},
    )
    assert len(list(pieces)) > 1
    place.gateway.upload()
    assert [text for text in texts(openai, "named") if text] == ["in pieces", "function_call"]


def test_an_example_goes_on_with_items_that_the_api_takes(place: Place, openai: OpenAI) -> None:
    assert agentlog("import", FOLDER, url=place.gateway.database_url).code == 0
    for thread_id in EXAMPLES:
        answer = openai.responses.create(model="m", conversation=thread_id, input="Go on.")
        *before, last = place.sent_input()
        assert before
        assert last == {"role": "user", "content": "Go on."}
        assert openai.responses.retrieve(answer.id).output == answer.output


def test_what_is_counted_or_compacted_has_the_items_too(place: Place, openai: OpenAI) -> None:
    conversation = openai.conversations.create(items=[USER]).id
    last = openai.responses.create(model="m", conversation=conversation, input="And?").id
    ways: list[Callable[[], object]] = [
        lambda: openai.responses.input_tokens.count(conversation=conversation, input="hi"),
        lambda: openai.responses.compact(model="gpt-5.6-sol", previous_response_id=last),
    ]
    for ask, count in zip(ways, (4, 3), strict=True):
        with pytest.raises(NotFoundError, match="no route /v1/responses/"):  # the provider's
            ask()
        assert len(place.sent_input()) == count
    place.gateway.upload()
    assert len(texts(openai, conversation)) == 3


def test_what_the_provider_says_comes_back_as_it_is(place: Place, openai: OpenAI, key: str) -> None:
    body = b'{ "model": "m",  "messages": [{"role":"user","content":"\\u00e9"}], "n": 1.0 }'
    answers = [
        httpx2.post(
            f"{url}/chat/completions",
            content=body,
            headers={"authorization": f"Bearer {PROVIDERS_KEY}", "x-agentlog-key": key},
        )
        for url in (f"{place.provider.url}/v1", f"{place.address}/openai/v1")
    ]
    direct, through = place.provider.requests[-2:]
    assert direct.body == through.body == body
    assert answers[0].content == answers[1].content
    assert answers[1].headers["x-request-id"] == "req_scripted"
    assert len(answers[1].headers.get_list("date")) == 1
    place.provider.fail(Fault("err", 429, retry_after_ms=7))
    try:
        with pytest.raises(RateLimitError, match="scripted failure") as refused:
            openai.responses.create(model="m", input="hi")
    finally:
        place.provider.fail(None)
    assert refused.value.response.headers["retry-after-ms"] == "7"
    assert refused.value.request_id == "req_scripted"


def test_a_client_that_leaves_ends_the_request_to_the_provider(
    place: Place, openai: OpenAI
) -> None:
    conversation = openai.conversations.create().id
    place.provider.fail(Fault("drip", 0.05, only=1))
    stream = openai.responses.create(model="m", conversation=conversation, input="hi", stream=True)
    assert next(iter(stream)).type == "response.created"
    asked = place.provider.requests[-1]
    stream.close()
    until(lambda: asked.client_left)
    until(lambda: texts(openai, conversation)[:1] == ["hi"])


def test_a_broken_stream_breaks_for_the_client(place: Place, openai: OpenAI) -> None:
    place.provider.fail(Fault("cut", 2, only=1))
    with pytest.raises((httpx2.RemoteProtocolError, APIError)):
        list(openai.responses.create(model="m", input="cut off", stream=True))


def test_keys_of_ours_lead_to_their_tenants_and_never_to_the_provider(
    place: Place, openai: OpenAI, key: str
) -> None:
    conversation = openai.conversations.create(items=[USER]).id
    made = openai.responses.create(model="m", conversation=conversation, input="of one")
    asked = len(place.provider.requests)
    other = place.make_key("two", "append", "read")
    with place.client(other) as stranger:
        for named in ({"conversation": conversation}, {"previous_response_id": made.id}):
            with pytest.raises(NotFoundError):
                stranger.responses.create(model="m", input="hi", extra_body=named)
        with pytest.raises(NotFoundError):
            stranger.responses.retrieve(made.id)
    append_only = place.make_key("default", "append")
    with place.client(append_only) as writer, pytest.raises(PermissionDeniedError, match="read"):
        writer.responses.create(model="m", conversation=conversation, input="hi")
    with place.client("") as anonymous, pytest.raises(AuthenticationError):
        anonymous.responses.create(model="m", input="hi")
    assert len(place.provider.requests) == asked
    with place.client(other) as stranger:
        own = stranger.responses.create(model="m", input="of two")
        assert stranger.responses.retrieve(own.id).output == own.output
    for headers in (
        {"authorization": f"Bearer {key}"},
        {"authorization": f"Bearer {other}", "x-agentlog-key": key},
        {"authorization": f"Bearer {PROVIDERS_KEY}", "x-api-key": other, "x-agentlog-key": key},
    ):
        url = f"{place.address}/openai/v1/chat/completions"
        body = {"model": "m", "messages": [USER]}
        httpx2.post(url, json=body, headers=headers).raise_for_status()
    for request in place.provider.requests[asked:]:
        assert "agentlog_" not in str(request)
    for tenant, words in (("default", "of two"), ("two", "of one")):
        command = ("export", "log", "--tenant", tenant)
        assert words not in agentlog(*command, url=place.gateway.database_url).out


def test_a_gateway_that_is_killed_breaks_the_answer_and_is_there_again(
    place: Place, openai: OpenAI
) -> None:
    conversation = openai.conversations.create().id
    begun = stalled(place, openai, conversation)
    os.kill(place.gateway.proxy, signal.SIGKILL)
    with pytest.raises((httpx2.RemoteProtocolError, APIError)):
        list(begun)
    place.gateway.upload()
    answer = openai.responses.create(model="m", conversation=conversation, input="again")
    assert texts(openai, conversation) == ["hi", "again", answer.output_text]


def stalled(place: Place, openai: OpenAI, conversation: str) -> Iterator[object]:
    """Return a stream that has begun, and does not go on."""
    place.provider.fail(Fault("stall", 3, only=1))
    stream = iter(
        openai.responses.create(model="m", conversation=conversation, input="hi", stream=True)
    )
    assert next(stream).type == "response.created"
    return stream


@pytest.mark.slow
def test_a_gateway_whose_machine_fails_is_said_to_be_away_until_it_is_there(
    database_url: str, tmp_path: Path
) -> None:
    with placed(database_url, tmp_path) as place, place.client("") as openai:
        conversation = openai.conversations.create().id
        begun = stalled(place, openai, conversation)
        place.gateway.process.kill()
        with pytest.raises((httpx2.RemoteProtocolError, APIError)):
            list(begun)
        with pytest.raises(InternalServerError, match="AGENTLOG_GATEWAY_URL"):
            openai.responses.create(model="m", conversation=conversation, input="hi")
        port = int(place.gateway.address.rpartition(":")[2])
        with gateway(database_url, settings_for(place.provider, tmp_path), port=port) as again:
            again.upload()
            answer = openai.responses.create(model="m", conversation=conversation, input="again")
            assert texts(openai, conversation) == ["hi", "again", answer.output_text]
            again.stop()
