"""An agent on OpenAI's Agents SDK."""

import asyncio
from typing import Any

import logfire
from agents import (
    Agent,
    Runner,
    function_tool,
    set_default_openai_api,
    set_trace_processors,
    trace,
)
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor as OpenInference
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor as GenAIModels
from opentelemetry.instrumentation.genai.openai_agents import OpenAIAgentsInstrumentor as GenAI
from opentelemetry.instrumentation.openai_agents import OpenAIAgentsInstrumentor as OpenLLMetry

from tests.extensions.traces.traced.programs import story


async def run(agent: Agent[Any]) -> None:
    """Ask the questions."""
    items: list[Any] = []
    with trace("desk"):
        for question in story.QUESTIONS:
            items.append({"role": "user", "content": question})
            if story.IS_STREAMED:
                result: Any = Runner.run_streamed(agent, items)
                async for _ in result.stream_events():
                    pass
            else:
                result = await Runner.run(agent, items)
            items = result.to_input_list()


def main() -> None:
    """Run the agent under its instrumentation."""
    set_trace_processors([])  # none that sends to OpenAI
    set_default_openai_api("responses" if story.API == "responses" else "chat_completions")
    if story.INSTRUMENTATION == "logfire":
        logfire.configure(send_to_logfire=False, console=False)
        logfire.instrument_openai_agents()
        tracer: Any = logfire.DEFAULT_LOGFIRE_INSTANCE.config.get_tracer_provider()
    else:
        tracer = story.provider()
        instrumentor = {"genai": GenAI, "openinference": OpenInference, "openllmetry": OpenLLMetry}
        instrumentor[story.INSTRUMENTATION]().instrument(tracer_provider=tracer)
        if story.INSTRUMENTATION == "genai":  # which leaves the model's calls to another one
            GenAIModels().instrument(tracer_provider=tracer)
    tools: list[Any] = [function_tool(story.track), function_tool(story.refund)]
    asyncio.run(run(Agent(name="desk", instructions=story.SYSTEM, model=story.MODEL, tools=tools)))
    tracer.force_flush()


if __name__ == "__main__":
    main()
