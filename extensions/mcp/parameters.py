"""Parameters that several tools take, with the descriptions that a model reads."""

from collections.abc import Callable
from typing import Annotated

from mcp.server.mcpserver import Context
from pydantic import Field

from agentlog.extensions.mcp.http_api import HttpApi

ApiOf = Callable[[Context], HttpApi]
"""Returns the API as the caller of a tool may use it."""

ThreadId = Annotated[str, Field(description="id of a thread, as find_threads returns it")]
At = Annotated[
    str | None,
    Field(description="a moment: version, @position, time or message id; default the present"),
]
IndexedFilter = Annotated[
    str | None,
    Field(
        description="terms of threads: words of goal or id, status:open|exited|closed parent: "
        "metadata.team:red; all must hold"
    ),
]
After = Annotated[str | None, Field(description="`next` of the page before")]
View = Annotated[
    str,
    Field(
        description="openai: what a model would be sent; kernel: all messages; agent-state: the "
        "kernel's state; run-state: what the run keeps for itself (store, memory, todos, files); "
        "request: the model, tools and parameters on record; remarks: notes, labels and "
        "judgements; others as the service has them (letta, maria, anomalies, timeline, …)"
    ),
]
