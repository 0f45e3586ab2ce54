"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

DataDir = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the embedded PostgreSQL [env: AGENTLOG_DATA_DIR]. "
        "With AGENTLOG_DATABASE_URL set, that database is used instead."
    ),
]
At = Annotated[
    str | None,
    typer.Option(help="As it was just after: a version, @position, message id or RFC 3339 time."),
]
ThreadArgument = Annotated[str, typer.Argument(help="Id of the thread.")]
ViewArgument = Annotated[
    str,
    typer.Argument(
        help="kernel, openai, maria, letta, openletta, agent-state, anomalies or timeline."
    ),
]
OptionList = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the view."),
]
