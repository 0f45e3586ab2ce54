"""An agent of Pydantic AI, which traces itself."""

import asyncio
from collections.abc import AsyncIterable
from typing import Any

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel

from tests.extensions.traces.traced.programs import story


def refund(parcel: int) -> str:
    """Refund a parcel."""
    try:
        return story.refund(parcel)
    except ValueError as error:
        raise ModelRetry(str(error)) from error


async def follow(_: Any, events: AsyncIterable[Any]) -> None:
    """Take events: an agent with a handler of them asks for streams."""
    async for _event in events:
        pass


async def run(agent: Agent[Any]) -> None:
    """Ask the questions."""
    messages: list[Any] = []
    handler = follow if story.IS_STREAMED else None
    for question in story.QUESTIONS:
        result = await agent.run(question, message_history=messages, event_stream_handler=handler)
        messages = result.all_messages()


def main() -> None:
    """Run the agent under its instrumentation."""
    tracer = story.provider()
    kind = OpenAIChatModel if story.API == "chat" else OpenAIResponsesModel
    agent = Agent(
        kind(story.MODEL),
        instructions=story.SYSTEM,
        name="desk",
        tools=[story.track, refund],
        capabilities=[Instrumentation(settings=InstrumentationSettings(tracer_provider=tracer))],
    )
    with tracer.get_tracer("desk").start_as_current_span("desk"):
        asyncio.run(run(agent))
    tracer.force_flush()


if __name__ == "__main__":
    main()
