"""Implements `agentlog export --format parquet`; imported only with pyarrow installed."""

from rich.console import Console

from api.cli.exporting import Asked
from api.cli.progress import shown
from api.cli.session import InvalidOption
from api.composition import open_service
from infrastructure.dataset.export import TABLES, export_dataset
from infrastructure.settings import Settings


def export_parquet(settings: Settings, asked: Asked) -> None:
    """Create or update a dataset, and print what was written."""
    if asked.output is None:
        raise InvalidOption("--format parquet needs --output: the folder of the dataset")
    for name in asked.only:
        if name not in TABLES:
            raise InvalidOption(f"--only {name[:64]}: choose among {', '.join(TABLES)}")
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    with open_service(settings) as service, shown() as show:
        exported = export_dataset(
            service.database,
            service.standings,
            asked.output,
            tenant=settings.tenant,
            tables=asked.only or TABLES,
            progress=show,
        )
    console.print(
        f"{exported.events} new events, {exported.days} days of read models written; "
        f"{asked.output} is as of position {exported.position}"
    )
