"""Traces of agents: spans in, from OpenTelemetry, Langfuse and LangSmith; threads as spans out.

Folders as the core's: `projections` are pure, `infrastructure` reads and writes, `api` is what
users call.
"""

from agentlog.extension import Command, Extension

_PROJECTIONS = "agentlog.extensions.traces.projections"
_READERS = f"{_PROJECTIONS}.readers"
_API = "agentlog.extensions.traces.api"

EXTENSION = Extension(
    about="Traces of agents: OpenTelemetry, Langfuse and LangSmith in, spans out.",
    formats={
        "langfuse": f"{_READERS}.langfuse:FORMAT",
        "langsmith": f"{_READERS}.langsmith:FORMAT",
        "otlp": f"{_READERS}.otlp:FORMAT",
    },
    own_types={
        "langfuse": f"{_PROJECTIONS}.own_types:LANGFUSE",
        "langsmith": f"{_PROJECTIONS}.own_types:LANGSMITH",
        "otel": f"{_PROJECTIONS}.own_types:OTEL",
    },
    links=dict.fromkeys(("langfuse", "langsmith", "otel"), f"{_PROJECTIONS}.links:span_links"),
    commands={
        "export spans": Command(
            f"{_API}.commands:app",
            "Export OpenTelemetry spans as OTLP's JSON, a thread a line, or send them to a "
            "collector.",
        ),
    },
    routes={
        "otlp": f"{_API}.otlp.router:router",
        "langfuse": f"{_API}.langfuse.router:router",
        "langsmith": f"{_API}.langsmith.router:router",
    },
    errors={"/langsmith/": f"{_API}.langsmith.problem_shape:detail"},
)
