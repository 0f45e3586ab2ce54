"""Agents that real instrumentations trace, seen as threads; exporters of a service that is killed.

The model is a stand-in on loopback that asks for one call, and then answers.
"""

import json
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from openai import OpenAI
from openinference.instrumentation.openai import OpenAIInstrumentor as OpenInference
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor as GenAI
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from agentlog.infrastructure.postgres.database import Database
from tests.api.cli.operations.test_service import address_of
from tests.clients import TLS
from tests.command_line import started
from tests.extensions.traces.traced.provider import Item, completion
from tests.extensions.traces.traced.stand_in import served
from tests.waiting import WAIT_SECONDS

CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "track", "arguments": '{"parcel": 4711}'},
}
TOOL: Any = {"type": "function", "function": {"name": "track", "parameters": {"type": "object"}}}
STORY = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": "Where is 4711?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "Hamburg"},
    {"role": "assistant", "content": "It is in Hamburg."},
]


ANSWERS: dict[int, Item] = {
    2: {"content": None, "calls": [("call_1", "track", '{"parcel": 4711}')]},
    4: {"content": "It is in Hamburg."},
}
"""What the model says to so many messages."""


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """The address of the model."""

    def answer(path: str, body: bytes) -> tuple[str, bytes]:
        del path
        request = json.loads(body)
        said = completion(1, request, ANSWERS[len(request["messages"])])
        return "application/json", json.dumps(said).encode()

    with served(answer) as url:
        yield f"{url}/v1"


@contextmanager
def _by_genai(provider: TracerProvider) -> Iterator[None]:
    GenAI().instrument(tracer_provider=provider)
    try:
        yield
    finally:
        GenAI().uninstrument()


@contextmanager
def _by_openinference(provider: TracerProvider) -> Iterator[None]:
    OpenInference().instrument(tracer_provider=provider)
    try:
        yield
    finally:
        OpenInference().uninstrument()


def _run(model: str) -> None:
    """Run the agent."""
    with OpenAI(base_url=model, api_key="k", max_retries=0) as client:
        messages: list[Any] = STORY[:2]
        for _ in range(2):
            answer = client.chat.completions.create(model="gpt-x", messages=messages, tools=[TOOL])
            said = answer.choices[0].message.model_dump(exclude_none=True)
            messages = [*messages, said, STORY[3]]


def _messages(client: httpx2.Client, thread_id: str) -> list[Any]:
    """Return a thread's chat messages; arguments as values."""
    body: list[Any] = client.get(f"/v1/threads/{thread_id}/views/openai?bare=true").json()
    for call in (call for message in body for call in message.get("tool_calls", ())):
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return body


EXPECTED = json.loads(json.dumps(STORY).replace('"{\\"parcel\\": 4711}"', '{"parcel": 4711}'))


@pytest.mark.parametrize(
    "traced", [_by_genai, pytest.param(_by_openinference, marks=pytest.mark.slow)]
)
def test_an_agent_is_seen_as_a_thread_while_it_is_at_work(
    own_database: Database,
    database_url: str,
    model: str,
    monkeypatch: pytest.MonkeyPatch,
    traced: Callable[[TracerProvider], Any],
) -> None:
    del own_database
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")
    provider = TracerProvider()
    with _served(database_url) as (client, _):
        exporter = OTLPSpanExporter(
            f"{client.base_url}/otlp/v1/traces", compression=Compression.Gzip
        )
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        named = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "desk-7"}
        with traced(provider), provider.get_tracer("app").start_as_current_span("desk") as span:
            span.set_attributes(named)
            _run(model)
            trace_id = f"{span.get_span_context().trace_id:032x}"
            # while the agent is still at work, and at once: no span waits for others
            assert _messages(client, trace_id) == EXPECTED
        (usage, _) = client.get(f"/v1/threads/{trace_id}/messages?filter=type:llm_response").json()[
            "items"
        ]
        tokens = usage["message"]["usage"]
        assert (tokens["inputTokens"], tokens["outputTokens"]) == (11, 7)
        named_so = client.get("/v1/threads?filter=metadata.conversation:desk-7").json()["items"]
        assert [thread["threadId"] for thread in named_so] == [trace_id]
        provider.shutdown()


@pytest.mark.slow
def test_a_killed_service_is_sent_the_spans_again_and_nothing_is_lost_or_doubled(
    own_database: Database, database_url: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    del own_database
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")
    provider = TracerProvider()
    runs, half_done = 12, threading.Event()

    def work() -> None:
        for n in range(runs):
            if n == runs // 2:
                half_done.set()
            with provider.get_tracer("app").start_as_current_span("desk") as span:
                span.set_attribute("gen_ai.conversation.id", f"desk-{n}")
                _run(model)

    with _served(database_url) as (client, process):
        port = client.base_url.port
        exporter = OTLPSpanExporter(f"{client.base_url}/otlp/v1/traces", timeout=60)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        with _by_genai(provider):
            agent = threading.Thread(target=work)
            agent.start()
            assert half_done.wait(WAIT_SECONDS)
            process.send_signal(signal.SIGKILL)  # while spans come: the exporter tries again
            process.wait()
            with _served(database_url, port=str(port)) as (again, _):
                agent.join(timeout=60)
                threads = again.get("/v1/threads?limit=1000").json()["items"]
                kept = [_messages(again, thread["threadId"]) for thread in threads]
                spans = again.get("/v1/log?filter=type:otel.span&limit=1000").json()["items"]
    assert kept == [EXPECTED] * runs
    assert len(spans) == 3 * runs
    provider.shutdown()


@contextmanager
def _served(url: str, *, port: str = "0") -> Iterator[tuple[httpx2.Client, Any]]:
    settings: Mapping[str, str] = {"AGENTLOG_ANONYMOUS": "allow"}
    with (
        started("serve", "--port", port, url=url, **settings) as process,
        httpx2.Client(base_url=address_of(process), trust_env=False, verify=TLS) as client,
    ):
        yield client, process
