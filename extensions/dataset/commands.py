"""The command `agentlog export dataset`."""

from typing import Annotated

import typer
from rich.console import Console

from agentlog.api.cli.progress import progress_shown
from agentlog.api.cli.session import DataDir, InvalidOption, MissingExtra, settings_with
from agentlog.api.composition import open_service

app = typer.Typer()


@app.command()
def dataset(
    output: Annotated[
        str,
        typer.Option(
            "--output", "-O", metavar="PLACE", help="Folder of the dataset, or s3://BUCKET/PREFIX."
        ),
    ],
    only: Annotated[
        list[str] | None, typer.Option(help="events, or the name of a read model.")
    ] = None,
    grace: Annotated[
        int,
        typer.Option(
            min=0,
            max=86_400,
            help="Seconds to wait before files replaced in a bucket are removed, for readers.",
        ),
    ] = 60,
    data_dir: DataDir = None,
) -> None:
    """Create a Parquet dataset of the log and all read models, or bring one up to date."""
    try:
        from agentlog.extensions.dataset.export import (  # noqa: PLC0415 - needs an extra
            TABLES,
            export_dataset,
        )
    except ModuleNotFoundError as error:
        if error.name not in {"obstore", "pyarrow"}:
            raise
        raise MissingExtra("parquet") from error
    for name in only or ():
        if name not in TABLES:
            raise InvalidOption(f"--only {name[:64]}: choose among {', '.join(TABLES)}")
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    settings = settings_with(data_dir=data_dir)
    with open_service(settings) as service, progress_shown() as show:
        exported = export_dataset(
            service.database,
            service.projection_status,
            output,
            tenant=settings.tenant,
            tables=only or TABLES,
            grace_seconds=grace,
            progress=show,
        )
    console.print(
        f"{exported.events} new events, {exported.days} days of read models written; "
        f"{output} is as of position {exported.position}"
    )
