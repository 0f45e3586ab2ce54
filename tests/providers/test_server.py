import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from openai import APIConnectionError, InternalServerError, OpenAI

from tests.providers.script import Answer, Call, InOrder
from tests.providers.server import Fault, ScriptedProvider

SHELL: dict[str, Any] = {
    "name": "bash",
    "parameters": {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    },
}
HELLO: list[Any] = [{"role": "user", "content": "do it"}]


@pytest.fixture
def provider() -> Iterator[ScriptedProvider]:
    with ScriptedProvider() as provider:
        yield provider


@pytest.fixture
def openai(provider: ScriptedProvider) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{provider.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def _post(url: str, **body: Any) -> Any:
    with httpx2.Client(trust_env=False) as client:
        return client.post(url, json=body)


def test_a_chat_goes_on_until_the_script_is_done(openai: OpenAI) -> None:
    messages, commands = list(HELLO), list[str]()
    tools: Any = [{"type": "function", "function": SHELL}]
    while True:
        answer = openai.chat.completions.create(model="m", messages=messages, tools=tools)
        message = answer.choices[0].message
        messages.append(message.to_dict())
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            assert call.type == "function"
            commands.append(json.loads(call.function.arguments)["command"])
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "done"})
    assert commands == ["echo step-1", "echo step-2"]
    assert message.content == "Done after 2 calls."
    assert len({call["id"] for item in messages for call in item.get("tool_calls") or ()}) == 2


def test_a_chat_stream_says_the_same_as_the_whole_answer(
    provider: ScriptedProvider, openai: OpenAI
) -> None:
    provider.script = lambda _: Answer("Two words.", [Call("bash", {"command": "ls -l"})])
    whole = openai.chat.completions.create(model="m", messages=HELLO)
    with openai.chat.completions.stream(
        model="m", messages=HELLO, stream_options={"include_usage": True}
    ) as stream:
        streamed = stream.get_final_completion()
    assert streamed.choices[0].message.content == "Two words."
    assert streamed.choices[0].finish_reason == "tool_calls"
    assert streamed.usage == whole.usage
    for message in (streamed.choices[0].message, whole.choices[0].message):
        calls: Any = message.to_dict()["tool_calls"]
        assert [call["id"] for call in calls] == ["call_1"]
        assert calls[0]["function"]["arguments"] == '{"command": "ls -l"}'


def test_responses_go_on_by_the_id_of_the_last(openai: OpenAI) -> None:
    tools: Any = [{"type": "function", "strict": None, **SHELL}]
    first = openai.responses.create(model="m", input="do it", tools=tools)
    result: Any = {"type": "function_call_output", "output": ""}
    with openai.responses.stream(
        model="m",
        previous_response_id=first.id,
        input=[{**result, "call_id": first.to_dict()["output"][0]["call_id"]}],
        tools=tools,
    ) as stream:
        second = stream.get_final_response()
    assert [answer.output[0].type for answer in (first, second)] == ["function_call"] * 2
    assert second.to_dict()["output"][0]["arguments"] == '{"command": "echo step-2"}'
    assert first.id != second.id


def test_an_anthropic_stream_says_the_same_as_the_whole_answer(provider: ScriptedProvider) -> None:
    provider.script = lambda _: Answer("Two words.", [Call("bash", {"command": "ls -l"})])
    url, asked = f"{provider.url}/v1/messages", {"model": "m", "messages": HELLO}
    whole = _post(url, **asked, thinking={"type": "adaptive"}).json()
    assert [block["type"] for block in whole["content"]] == ["thinking", "text", "tool_use"]
    lines = _post(url, **asked, stream=True).text.splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line[:5] == "data:"]
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert "".join(delta.get("text", "") for delta in deltas) == "Two words."
    args = "".join(delta.get("partial_json", "") for delta in deltas)
    assert json.loads(args) == whole["content"][2]["input"]
    assert next(line for line in lines if line[:6] == "event:") == "event: message_start"
    assert events[-1] == {"type": "message_stop"}


def test_requests_are_kept_as_they_came(provider: ScriptedProvider) -> None:
    _post(f"{provider.url}/t/token/v1/chat/completions?beta=true", model="m", messages=HELLO)
    (request,) = provider.requests
    assert (request.method, request.path[:8]) == ("POST", "/t/token")
    assert request.headers["content-type"] == "application/json"
    assert request.json == {"model": "m", "messages": HELLO}


def test_a_fault_meets_as_many_requests_as_it_says(
    provider: ScriptedProvider, openai: OpenAI
) -> None:
    provider.fail(Fault("err", 500, only=1))
    with pytest.raises(InternalServerError, match="scripted failure"):
        openai.chat.completions.create(model="m", messages=HELLO)
    assert openai.chat.completions.create(model="m", messages=HELLO).choices


@pytest.mark.parametrize(
    ("fault", "words", "is_whole"),
    [
        (Fault("short", 3), 2, True),
        (Fault("cut", 3), 2, False),
        (Fault("drip", 0), 4, True),
        (Fault("slow", 0), 4, True),
    ],
)
def test_a_stream_ends_as_its_fault_says(
    provider: ScriptedProvider, fault: Fault, words: int, *, is_whole: bool
) -> None:
    provider.script = lambda _: Answer("One two three four.")
    provider.fail(fault)
    lines: list[str] = []
    url, body = f"{provider.url}/chat/completions", {"model": "m", "messages": HELLO}
    with httpx2.Client(trust_env=False) as client:
        try:
            with client.stream("POST", url, json={**body, "stream": True}) as response:
                lines.extend(response.iter_lines())
            ended = True
        except httpx2.RemoteProtocolError:
            ended = False
    chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    texts = [chunk["choices"][0]["delta"].get("content") for chunk in chunks]
    assert len([text for text in texts if text]) == words
    assert ended is is_whole


def test_a_whole_answer_is_cut_in_its_middle(provider: ScriptedProvider, openai: OpenAI) -> None:
    provider.fail(Fault("cut", 0))
    with pytest.raises(APIConnectionError):
        openai.chat.completions.create(model="m", messages=HELLO)


def test_a_client_that_leaves_a_stalled_stream_does_not_hold_up_the_end() -> None:
    with ScriptedProvider() as provider, httpx2.Client(trust_env=False) as client:
        provider.fail(Fault("stall", 1))
        body = {"model": "m", "messages": HELLO, "stream": True}
        url = f"{provider.url}/chat/completions"
        with client.stream("POST", url, json=body) as response:
            assert next(response.iter_lines()).startswith("data: ")
    assert provider.ended.is_set()


def test_parallel_requests_get_their_own_answers(provider: ScriptedProvider) -> None:
    provider.script = lambda turn: Answer(turn.body["messages"][0]["content"])

    async def ask_all() -> list[str]:
        async with httpx2.AsyncClient(trust_env=False) as client:
            url = f"{provider.url}/chat/completions"
            bodies = [
                {"model": "m", "messages": [{"role": "user", "content": str(n)}]} for n in range(10)
            ]
            answers = await asyncio.gather(*(client.post(url, json=body) for body in bodies))
            return [answer.json()["choices"][0]["message"]["content"] for answer in answers]

    assert asyncio.run(ask_all()) == [str(n) for n in range(10)]


def test_a_script_may_be_a_list(provider: ScriptedProvider, openai: OpenAI) -> None:
    provider.script = InOrder([Answer("one"), Answer("two")])
    answers = [openai.chat.completions.create(model="m", messages=HELLO) for _ in range(2)]
    assert [answer.choices[0].message.content for answer in answers] == ["one", "two"]


def test_a_stopped_provider_refuses(provider: ScriptedProvider, openai: OpenAI) -> None:
    provider.stop()
    with pytest.raises(APIConnectionError):
        openai.chat.completions.create(model="m", messages=HELLO)
