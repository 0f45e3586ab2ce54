"""`agentlog export --format parquet`: imported only where pyarrow is there."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from api.cli.exporting import Asked
from api.cli.session import InvalidOption
from api.composition import open_service
from infrastructure.dataset.export import TABLES, export_dataset
from infrastructure.settings import Settings


def export_parquet(settings: Settings, asked: Asked) -> None:
    """Bring a dataset up to the present, or make it, and say what was written."""
    if asked.output is None:
        raise InvalidOption("--format parquet needs --output: the folder of the dataset")
    for name in asked.only:
        if name not in TABLES:
            raise InvalidOption(f"--only {name[:64]}: choose among {', '.join(TABLES)}")
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with (
        open_service(settings) as service,
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar,
    ):
        tasks: dict[str, TaskID] = {}

        def show(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name)
            bar.update(tasks[name], completed=done, total=total)

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
