"""An agent of LangChain, which is a graph of LangGraph."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool, ToolException
from langchain_openai import ChatOpenAI
from langfuse import Langfuse
from langfuse.langchain import CallbackHandler
from openinference.instrumentation.langchain import LangChainInstrumentor as OpenInference
from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor as GenAI
from opentelemetry.instrumentation.langchain import LangchainInstrumentor as OpenLLMetry
from opentelemetry.sdk.trace import TracerProvider

from tests.extensions.traces.traced.programs import story


def refund(parcel: int) -> str:
    """Refund a parcel."""
    try:
        return story.refund(parcel)
    except ValueError as error:
        raise ToolException(str(error)) from error


def main() -> None:
    """Run the agent under its instrumentation."""
    handlers: list[Any] = []
    if story.INSTRUMENTATION == "langfuse":
        tracer = TracerProvider()
        Langfuse(tracer_provider=tracer)  # sends by itself to LANGFUSE_BASE_URL
        handlers = [CallbackHandler()]
    else:
        tracer = story.provider()
        instrumentor = {"genai": GenAI, "openinference": OpenInference, "openllmetry": OpenLLMetry}
        instrumentor[story.INSTRUMENTATION]().instrument(tracer_provider=tracer)
    tools = [
        StructuredTool.from_function(story.track),
        StructuredTool.from_function(refund, handle_tool_error=True),
    ]
    by_responses = story.API == "responses"
    model = ChatOpenAI(
        model=story.MODEL, use_responses_api=by_responses, streaming=story.IS_STREAMED
    )
    agent: Any = create_agent(model, tools, system_prompt=story.SYSTEM)
    messages: list[Any] = []
    with tracer.get_tracer("desk").start_as_current_span("desk"):
        for question in story.QUESTIONS:
            asked = {"messages": [*messages, {"role": "user", "content": question}]}
            config = {"callbacks": handlers}
            if story.IS_STREAMED:
                *_, state = agent.stream(asked, stream_mode="values", config=config)
            else:
                state = agent.invoke(asked, config=config)
            messages = state["messages"]
    tracer.force_flush()


if __name__ == "__main__":
    main()
