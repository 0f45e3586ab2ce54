"""Commands that a service does: `--to URL`, by the client, which is imported only for these."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from agentlog.domain.errors import AgentlogError

To = Annotated[
    str | None,
    typer.Option("--to", metavar="URL", help="Address of a service that takes the files."),
]
Key = Annotated[
    str | None, typer.Option("--key", help="Key of that service, by default AGENTLOG_KEY.")
]


class ServiceRefused(AgentlogError):
    """A service refuses, or is not there."""


@contextmanager
def by_service() -> Iterator[None]:
    """Raise `ServiceRefused` for the errors of the client."""
    from agentlog_client import errors  # noqa: PLC0415 - takes as long as half a command

    try:
        yield
    except (errors.AgentlogError, ValueError) as error:
        raise ServiceRefused(str(error)) from error
