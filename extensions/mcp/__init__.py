"""Tools for assistants, by the Model Context Protocol, over the HTTP API.

`server` has the tools, which stand in `thread_tools`, `question_tools` and `report_tools`;
`answers` has their results, `pages` their sizes, `http_api` the requests. Needs the extra `mcp`.
"""

from agentlog.extension import Command, Extension

EXTENSION = Extension(
    "Tools for assistants, by the Model Context Protocol.",
    commands={
        "mcp": Command(
            "agentlog.extensions.mcp.commands:app",
            "Offer tools to an assistant (Model Context Protocol), over standard input and output.",
            "Service",
        ),
    },
    routes={"mcp": "agentlog.extensions.mcp.route:router"},
)
