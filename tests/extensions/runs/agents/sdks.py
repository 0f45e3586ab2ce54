"""Does a small task with the client libraries of Python, one after the other.

They find their provider in the environment. A program by itself: it is recorded as users' are.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import anthropic
import openai
from agents import Agent, ModelSettings, Runner, function_tool, set_default_openai_api
from agents import set_tracing_disabled as set_agents_tracing_disabled
from langchain_core.messages import ToolMessage
from langchain_openai import ChatOpenAI
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel

from tests.extensions.runs.agents.google_client import gemini
from tests.extensions.runs.agents.task import FUNCTION, MODEL, PARAMETERS, bash

BASH: Any = {"type": "function", "function": FUNCTION}


def chat(task: str, *, stream: bool) -> str:
    """Chat completions by OpenAI's client."""
    messages: list[Any] = [{"role": "user", "content": task}]
    with openai.OpenAI() as client:
        while True:
            asked: Any = {"model": MODEL, "messages": messages, "tools": [BASH]}
            if stream:
                with client.chat.completions.stream(**asked) as events:
                    message = events.get_final_completion().choices[0].message
            else:
                message = client.chat.completions.create(**asked).choices[0].message
            messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
            if not message.tool_calls:
                return str(message.content)
            for call in message.tool_calls:
                output = bash(**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": output})


def responses(task: str, *, stream: bool) -> str:
    """The Responses API by OpenAI's client: only what is new is sent."""
    tools: Any = [{"type": "function", "strict": False, **FUNCTION}]
    items: Any = [{"role": "user", "content": task}]
    before: str | None = None
    with openai.OpenAI() as client:
        while True:
            asked: Any = {"model": MODEL, "input": items, "tools": tools}
            if before is not None:
                asked["previous_response_id"] = before
            if stream:
                with client.responses.stream(**asked) as events:
                    answer: Any = events.get_final_response()
            else:
                answer = client.responses.create(**asked)
            before = answer.id
            items = [
                {
                    "type": "function_call_output",
                    "call_id": item.call_id,
                    "output": bash(**json.loads(item.arguments)),
                }
                for item in answer.output
                if item.type == "function_call"
            ]
            if not items:
                return str(answer.output_text)


def messages(task: str, *, stream: bool) -> str:
    """Messages by Anthropic's client, with thoughts, whose signatures go back."""
    tools: Any = [{"name": "bash", "description": "Run a command.", "input_schema": PARAMETERS}]
    items: list[Any] = [{"role": "user", "content": task}]
    with anthropic.Anthropic() as client:
        client.messages.count_tokens(model=MODEL, messages=items, tools=tools)
        while True:
            asked: Any = {"model": MODEL, "messages": items, "tools": tools, "max_tokens": 2000}
            asked["thinking"] = {"type": "enabled", "budget_tokens": 1024}
            if stream:
                with client.messages.stream(**asked) as events:
                    answer = events.get_final_message()
            else:
                answer = client.messages.create(**asked)
            items.append({"role": "assistant", "content": answer.content})
            calls = [block for block in answer.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in answer.content if block.type == "text")
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": bash(**call.input)}
                for call in calls
            ]
            items.append({"role": "user", "content": results})


def agents_sdk(task: str, *, api: Any) -> str:
    """An agent of openai-agents."""
    set_agents_tracing_disabled(disabled=True)
    set_default_openai_api(api)
    settings = ModelSettings(temperature=0)
    agent = Agent(name="a", model=MODEL, model_settings=settings, tools=[function_tool(bash)])
    return str(Runner.run_sync(agent, task).final_output)


def langchain(task: str, *, streaming: bool) -> str:
    """LangChain's model, called until it asks for no tool."""
    model: Any = ChatOpenAI(model=MODEL, streaming=streaming).bind_tools([BASH])
    items: list[Any] = [("user", task)]
    while True:
        answer = model.invoke(items)
        items.append(answer)
        if not answer.tool_calls:
            return str(answer.content)
        items += [
            ToolMessage(bash(**call["args"]), tool_call_id=call["id"]) for call in answer.tool_calls
        ]


def pydantic(task: str, *, model: Any) -> str:
    """An agent of Pydantic AI."""
    return str(asyncio.run(PydanticAgent(model, tools=[bash]).run(task)).output)


def clients() -> Iterator[tuple[str, Callable[[str], str]]]:
    """Yield the clients by name."""
    for stream in (False, True):
        how = "stream" if stream else "whole"
        yield f"chat {how}", partial(chat, stream=stream)
        yield f"responses {how}", partial(responses, stream=stream)
        yield f"messages {how}", partial(messages, stream=stream)
        yield f"gemini {how}", partial(gemini, stream=stream)
        yield f"langchain {how}", partial(langchain, streaming=stream)
    for api in ("chat_completions", "responses"):
        yield f"agents {api}", partial(agents_sdk, api=api)
    for kind in (OpenAIChatModel, OpenAIResponsesModel, AnthropicModel):
        yield f"pydantic {kind.__name__}", partial(pydantic, model=kind(MODEL))


if __name__ == "__main__":
    for name, client in clients():
        print(f"{name}: {client(f'With {name}: run two commands.')}")  # noqa: T201 - a program
