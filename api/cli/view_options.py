"""The view that a command is about, and its options."""

from typing import Annotated

import typer

from agentlog.api.cli.session import pairs_of
from agentlog.projections.registry import VIEWS, AnyView, choose_view

ViewArgument = Annotated[
    str,
    typer.Argument(help=f"One of {', '.join(VIEWS)}."),
]
OptionList = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the view."),
]


def chosen_view(name: str, options: list[str] | None) -> AnyView:
    """Return the view with options given as NAME=VALUE."""
    return choose_view(name, dict(pairs_of("--option", options)))
