"""Traces of a service: to a collector where one is configured, and nothing at all where none is."""

import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agentlog.api.http.middleware.tracing import Traced
from agentlog.api.tracing import open_traces
from agentlog.infrastructure.settings import TraceSettings
from tests.api.cli.operations.test_service import address_of, end
from tests.api.collector import Collected, Collector
from tests.api.servers import served
from tests.clients import TLS
from tests.command_line import environment, started
from tests.waiting import WAIT_SECONDS

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
MESSAGES = "POST /v1/threads/{thread_id}/messages"
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.fixture(autouse=True)
def no_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the environment says anything of traces."""
    for name in ("OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", ENDPOINT, "OTEL_SERVICE_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", raising=False)


def client_of(process: subprocess.Popen[str]) -> httpx2.Client:
    """Return a client of a service that has just been started."""
    return httpx2.Client(
        base_url=address_of(process), timeout=WAIT_SECONDS, trust_env=False, verify=TLS
    )


def notice_of(process: subprocess.Popen[str]) -> str:
    """Return what a service says after its address."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def named(spans: list[Collected], name: str) -> list[Collected]:
    """Return the spans of a name, in the order in which they began."""
    return sorted((span for span in spans if span.name == name), key=lambda span: span.began)


def test_requests_and_their_commits_reach_the_collector(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Collector() as collector:
        monkeypatch.setenv(ENDPOINT, collector.url)
        with started("serve", "--port", "0", url=database_url) as process:
            with client_of(process) as http:
                assert notice_of(process) == "traces go to otlp"
                http.post(
                    "/v1/threads/t/messages",
                    json=[{"type": "tick"}, {"type": "tick"}],
                    headers={"traceparent": f"00-{TRACE}-{SPAN}-01"},
                )
                http.post("/v1/threads/t/messages", content=b"nope")
                http.post("/v1/threads", json={"threadId": "u"})
                http.get("/v1/threads/t/views/openai")
                http.get("/nowhere")
                items = http.get("/v1/log").json()["items"]
            end(process, signal.SIGTERM)  # what is left is sent before it ends
        spans = collector.spans
    assert {span.service for span in spans} == {"agentlog"}
    appended, refused = named(spans, MESSAGES)
    assert (appended.trace, appended.parent) == (TRACE, SPAN)
    assert appended.kind == Span.SPAN_KIND_SERVER
    assert appended.attributes == {
        "http.request.method": "POST",
        "http.route": "/v1/threads/{thread_id}/messages",
        "http.response.status_code": 201,
        "url.path": "/v1/threads/t/messages",
        "url.scheme": "http",
    }
    assert refused.attributes["http.response.status_code"] == 400
    assert (refused.parent, refused.status) == ("", Status.STATUS_CODE_UNSET)
    assert refused.trace != TRACE
    (begun,) = named(spans, "POST /v1/threads")
    (viewed,) = named(spans, "GET /v1/threads/{thread_id}/views/{view}")
    assert viewed.attributes["http.response.status_code"] == 200
    assert [span.attributes["url.path"] for span in named(spans, "GET")] == ["/nowhere"]
    first, second = named(spans, "commit")
    assert (first.trace, first.parent) == (TRACE, appended.id)
    assert (second.trace, second.parent) == (begun.trace, begun.id)
    assert first.attributes == {
        "agentlog.commit.requests": 1,
        "agentlog.commit.events": 2,
        "agentlog.commit.way": "holding",
    }
    assert first.began < first.ended
    # what was written belongs to the service's own span
    ours = [f"00-{TRACE}-{appended.id}"] * 2 + [f"00-{begun.trace}-{begun.id}"]
    assert [item["metadata"]["traceparent"].rpartition("-")[0] for item in items] == ours


def test_a_trace_that_is_not_sampled_is_not_sent_but_goes_on(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Collector() as collector:
        monkeypatch.setenv(ENDPOINT, collector.url)
        with open_traces(TraceSettings()) as traces, served(traces.around(app)) as http:
            http.post(
                "/v1/threads/t/messages",
                json={"type": "tick"},
                headers={"traceparent": f"00-{TRACE}-{SPAN}-00"},
            )
            (item,) = http.get("/v1/log").json()["items"]
        names = {span.name for span in collector.spans}
    kept = item["metadata"]["traceparent"]
    assert kept.startswith(f"00-{TRACE}-")
    assert kept.endswith("-00")
    assert names == {"GET /v1/log"}


def test_a_collector_that_is_gone_holds_up_neither_requests_nor_the_end(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and says nothing
        monkeypatch.setenv(ENDPOINT, f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "600")  # seconds that it would wait
        with started("serve", "--port", "0", url=database_url) as process:
            with client_of(process) as http:
                answer = http.post("/v1/threads/t/messages", json={"type": "tick"})
                assert answer.status_code == 201
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 0
    assert "traces were left unsent" in err


def test_without_the_extra_the_service_says_what_to_install_and_runs(
    database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hidden = tmp_path / "opentelemetry" / "sdk"  # their folders of one name are one package
    hidden.mkdir(parents=True)
    name = "opentelemetry.sdk"
    (hidden / "__init__.py").write_text(f"raise ModuleNotFoundError({name!r}, name={name!r})")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:4318")
    with started("serve", "--port", "0", url=database_url) as process:
        with client_of(process) as http:
            assert "pip install 'agentlog[otel]'" in notice_of(process)
            assert http.get("/readyz").status_code == 200
        end(process, signal.SIGTERM)


def test_without_an_exporter_nothing_of_the_extra_is_imported() -> None:
    code = """
import sys
from agentlog.api.cli import main
from agentlog.api.cli.operations import service
from agentlog.api.tracing import open_traces
from agentlog.infrastructure.settings import TraceSettings
with open_traces(TraceSettings()) as traces:
    app = object()
    assert traces.around(app) is app and traces.on_commit is None and not traces.notice
extra = ("opentelemetry.sdk", "opentelemetry.exporter", "opentelemetry.proto", "google.protobuf")
found = [name for name in sys.modules if name.startswith(extra)]  # FastAPI imports the API itself
assert not found, found
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=environment())


@pytest.mark.parametrize(
    ("given", "exporters"),
    [
        ({}, set()),
        ({ENDPOINT: "http://c:4318"}, {"otlp"}),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/v1/traces"}, {"otlp"}),
        ({"OTEL_TRACES_EXPORTER": "console"}, {"console"}),
        ({"OTEL_TRACES_EXPORTER": "otlp, console"}, {"otlp", "console"}),
        ({"OTEL_TRACES_EXPORTER": "console", ENDPOINT: "http://c:4318"}, {"console"}),
        ({"OTEL_TRACES_EXPORTER": "none", ENDPOINT: "http://c:4318"}, set()),
        ({"OTEL_SDK_DISABLED": "True", ENDPOINT: "http://c:4318"}, set()),
        ({ENDPOINT: ""}, set()),
    ],
)
def test_the_standard_variables_say_whether_to_trace(
    given: dict[str, str], exporters: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert TraceSettings().exporters == exporters


def test_an_exporter_that_there_is_not_is_named(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "zipkin,otlp")
    with open_traces(TraceSettings()) as traces:
        assert "zipkin" in traces.notice
        assert traces.around(app) is app


def test_the_console_shows_spans_as_they_end(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    with open_traces(TraceSettings()) as traces, served(traces.around(app)) as http:
        http.get("/v1/threads/nobody")
    assert '"name": "GET /v1/threads/{thread_id}"' in capsys.readouterr().out


EXPORTS = [
    ("/otlp/v1/traces", "OpenTelemetry Collector/1.0"),
    ("/v1/logs", "curl"),
    ("/", "OTel-OTLP-Exporter-Python/1.45.0"),
]


@pytest.mark.parametrize(("path", "agent"), EXPORTS, ids=[path for path, _ in EXPORTS])
def test_an_export_causes_no_span_that_would_be_exported_again(
    app: FastAPI, path: str, agent: str
) -> None:
    kept, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    with served(Traced(app, provider.get_tracer("tests"))) as client:
        client.post(path, json={}, headers={"User-Agent": agent})
        assert kept.get_finished_spans() == ()
        client.get("/healthz")
        assert [span.name for span in kept.get_finished_spans()] == ["GET /healthz"]
