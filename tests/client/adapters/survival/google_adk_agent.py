"""Turns of ADK, with a session service."""

import asyncio
import sys
from contextlib import suppress
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.genai import types
from typing_extensions import override

from agentlog_client import Client, Retries
from agentlog_client.adapters.google_adk import AgentlogSessionService

PLACE = {"user_id": "ann", "session_id": "shared"}
NAMES = {"app_name": "desk", **PLACE}


class Scripted(BaseLlm):  # type: ignore[misc] # ADK is not where types are checked
    """A model that calls the tool once, then answers."""

    @override
    async def generate_content_async(self, llm_request: Any, *_: Any, **__: Any) -> Any:
        if llm_request.contents[-1].parts[-1].function_response is None:
            call = types.FunctionCall(name="track", args={"parcel": 7})
            part = types.Part(function_call=call)
        else:
            part = types.Part(text=f"answer to {_questions(llm_request.contents)[-1]}")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def track(parcel: int) -> str:
    """Where a parcel is."""
    _print("calls")
    return f"{parcel} is in Hamburg"


async def main() -> None:
    """Take the turns that the session does not have; one that another writer ends stays cut."""
    url, writer, turns = sys.argv[1:]
    agent = LlmAgent(name="desk", model=Scripted(model="scripted"), tools=[track])
    with Client(url, retries=Retries(attempts=20)) as client:
        service = AgentlogSessionService(client)
        with suppress(AlreadyExistsError):
            await service.create_session(**NAMES)
        runner = Runner(app_name="desk", agent=agent, session_service=service)
        while True:
            session = await service.get_session(**NAMES)
            contents = [event.content for event in session.events]
            turn = sum(text.startswith(writer) for text in _questions(contents))
            if turn == int(turns):
                break
            part = types.Part(text=f"{writer} {turn}")
            message = types.Content(role="user", parts=[part])
            with suppress(StaleSessionError):
                async for event in runner.run_async(**PLACE, new_message=message):
                    if event.content.parts[0].text:
                        _print(event.content.parts[0].text)


def _questions(contents: Any) -> list[str]:
    return [
        content.parts[0].text
        for content in contents
        if content.role == "user" and content.parts[0].text
    ]


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
