"""The command `toy`, by the setting `toys`; stands for any that the recipes add."""

import typer

from agentlog.infrastructure.settings import Settings

app = typer.Typer()


@app.command()
def toy() -> None:
    """Say how many toys there may be."""
    typer.echo(f"{Settings().model_dump()['toys']} toys")
