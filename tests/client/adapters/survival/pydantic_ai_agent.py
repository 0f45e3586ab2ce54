"""Turns of Pydantic AI, with a history."""

import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agentlog_client import Client, Retries
from agentlog_client.adapters.pydantic_ai import AgentlogHistory


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Call the tool once, then answer."""
    del info
    if any(part.part_kind == "tool-return" for part in messages[-1].parts):
        return ModelResponse([TextPart(f"answer to {_questions(messages)[-1]}")])
    return ModelResponse([ToolCallPart("track", {"parcel": 7}, f"call_{len(messages)}")])


def track(parcel: int) -> str:
    """Where a parcel is."""
    _print("calls")
    return f"{parcel} is in Hamburg"


def main() -> None:
    """Take the turns that the session does not have."""
    url, writer, turns = sys.argv[1:]
    agent = Agent(FunctionModel(answer), tools=[track])
    with Client(url, retries=Retries(attempts=20)) as client:
        history = AgentlogHistory("shared", client)
        while True:
            messages = history.load()
            turn = sum(text.startswith(writer) for text in _questions(messages))
            if turn == int(turns):
                break
            result = agent.run_sync(f"{writer} {turn}", message_history=messages)
            history.save(result.new_messages())
            _print(result.output)


def _questions(messages: list[ModelMessage]) -> list[str]:
    return [
        str(part.content)
        for message in messages
        for part in message.parts
        if part.part_kind == "user-prompt"
    ]


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
