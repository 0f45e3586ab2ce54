"""Facades: the routes of other services, so that their clients work with another address.

Each reads and writes the messages of threads as the other routes do, and has no tables of its own.
"""

from agentlog.extension import Extension

_HERE = "agentlog.extensions.facades"

EXTENSION = Extension(
    "Routes of other services, so that their clients work with another address.",
    views={"ag-ui": f"{_HERE}.ag_ui.view:AgUiView"},
    links={"session": f"{_HERE}.openai.links:session_links"},
    routes={
        "letta.agents": f"{_HERE}.letta.routes.agents:router",
        "letta.messages": f"{_HERE}.letta.routes.messages:router",
        "letta.runs": f"{_HERE}.letta.routes.runs:router",
        "letta.others": f"{_HERE}.letta.routes.others:router",
        "maria": f"{_HERE}.maria.routes:router",
        "maria.unversioned": f"{_HERE}.maria.routes:unversioned",
        "openai.conversations": f"{_HERE}.openai.conversations:router",
        "openai.completions": f"{_HERE}.openai.completions:router",
        "openai.responses": f"{_HERE}.openai.responses:router",
        "openai.models": f"{_HERE}.openai.models:router",
        "ag-ui": f"{_HERE}.ag_ui.router:router",
    },
    errors={
        "/openai/": f"{_HERE}.problem_shapes:openai",
        "/letta/": f"{_HERE}.problem_shapes:detail",
        "/maria/": f"{_HERE}.problem_shapes:maria",
    },
)
