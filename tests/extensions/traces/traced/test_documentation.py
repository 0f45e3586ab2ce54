"""The document of traces says what spans lack; AGENTLOG_WRITE_DOCS=1 writes it."""

import os
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tests.extensions.traces.traced.matrix import LACKS, MATRIX

ROOT = Path(__file__).parents[4]
DOCUMENT = ROOT / "extensions" / "traces" / "docs" / "opentelemetry.md"
BEGIN = "<!-- traced: written from tests/extensions/traces/traced/matrix.py -->\n"
END = "<!-- end of traced -->\n"
WRITE = os.environ.get("AGENTLOG_WRITE_DOCS") == "1"
AGENTS = {
    "openai_client": ("OpenAI's client", "openai", "openai"),
    "agents_sdk": ("Agents SDK", "openai-agents", "openai-agents"),
    "langchain_agent": ("LangGraph", "langgraph", "langchain"),
    "pydantic_agent": ("Pydantic AI", "pydantic-ai-slim", ""),
}
"""The name of each, its package, and how packages that trace it end."""
TRACERS = {
    "genai": ("OpenTelemetry", "opentelemetry-instrumentation-genai-"),
    "langfuse": ("Langfuse", "langfuse"),
    "logfire": ("Logfire", "logfire"),
    "openinference": ("OpenInference", "openinference-instrumentation-"),
    "openllmetry": ("OpenLLMetry", "opentelemetry-instrumentation-"),
    "own": ("itself", "pydantic-ai-slim"),
}


def rows() -> Iterator[str]:
    """Yield a row for each agent and tracer, or for each API where these differ."""
    pins = dict(re.findall(r"^(\S+)==(\S+)", _lock(), re.MULTILINE))
    lacking: dict[tuple[str, str], dict[str, frozenset[str]]] = {}
    for traced in MATRIX:
        by_api = lacking.setdefault((traced.agent, traced.instrumentation), {})
        by_api[traced.api] = traced.lacks
    for (agent, tracer), by_api in lacking.items():
        name, package, ending = AGENTS[agent]
        by, begins = TRACERS[tracer]
        version = pins[begins + ending if begins.endswith("-") else begins]
        differ = len(set(by_api.values())) > 1
        for api, lacks in by_api.items() if differ else [("", by_api["chat"])]:
            told = ", ".join(lack for lack in LACKS if lack in lacks) or "nothing"
            of_api = f", {api}" if api else ""
            yield f"| {name} {pins[package]}{of_api} | {by} {version} | {told} |"


def _lock() -> str:
    return (ROOT / "requirements-nightly.lock").read_text()


def test_the_document_says_what_spans_lack() -> None:
    words = (
        textwrap.fill(f"- **{word}**: {lack.meaning}.", width=99, subsequent_indent="  ")
        for word, lack in LACKS.items()
    )
    head = ["", "| agent | traced by | lacks |", "|---|---|---|"]
    table = "\n".join([*words, *head, *rows(), ""])
    before, begin, rest = DOCUMENT.read_text().partition(BEGIN)
    said, end, after = rest.partition(END)
    assert begin
    assert end
    if WRITE:
        DOCUMENT.write_text(f"{before}{BEGIN}{table}{END}{after}")
    else:
        assert said == table, "run this test with AGENTLOG_WRITE_DOCS=1"
