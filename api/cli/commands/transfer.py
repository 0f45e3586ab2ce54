"""Commands for import and export."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.options import At, DataDir, OptionList

app = typer.Typer()


@app.command("import")
def import_(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Annotated[
        list[Path],
        typer.Argument(help="JSON or JSON lines files, folders of them, or - for standard input."),
    ],
    wire: Annotated[
        str, typer.Option("--format", help="kernel, openai, letta, openletta or maria.")
    ] = "kernel",
    messages: Annotated[
        str | None,
        typer.Option(help="JSONPath to the messages in each record, as in '$.traj'."),
    ] = None,
    thread_id: Annotated[
        str | None,
        typer.Option(help="Template of the thread id, as in 'airline-{task_id}-{trial}'."),
    ] = None,
    goal: Annotated[str | None, typer.Option(help="Template of the thread's goal.")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=TEMPLATE", help="Metadata of the thread, as in reward={reward}."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="record keeps everything and lists anomalies (default), strict refuses."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Import histories; running it again writes nothing twice."""
    from api.cli.session import failing_clearly, settings_with
    from api.cli.transferring import import_files, plan_of

    with failing_clearly():
        plan = plan_of(
            wire,
            messages=messages,
            thread_id=thread_id,
            goal=goal,
            metadata=metadata or [],
            policy=policy,
        )
        raise typer.Exit(import_files(settings_with(data_dir=data_dir), plan, paths))


@app.command()
def export(  # noqa: PLR0913, PLR0917 - one parameter an option
    threads: Annotated[
        list[str] | None, typer.Argument(help="Ids of threads; all where none is given.")
    ] = None,
    wire: Annotated[
        str,
        typer.Option(
            "--format",
            help="Any view, a thread a line; kernel keeps everything. jsonl: the log, an event a "
            "line. finetune: OpenAI's fine-tuning lines of finished threads. parquet: a dataset.",
        ),
    ] = "kernel",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-O", help="File, default standard output; for parquet the folder."
        ),
    ] = None,
    at: At = None,
    option: OptionList = None,
    after: Annotated[
        int | None, typer.Option(min=0, help="jsonl: only events beyond this position.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="parquet: events, or the name of a read model.")
    ] = None,
    status: Annotated[
        str | None, typer.Option(help="finetune: open, exited or closed; default the last two.")
    ] = None,
    q: Annotated[str | None, typer.Option(help="finetune: words in goal or id.")] = None,
    parent: Annotated[str | None, typer.Option(help="finetune: id of the parent thread.")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="finetune: what metadata must be, as reward=1.0."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Export threads as lines that import reads, the log, training data, or a Parquet dataset."""
    from api.cli.exporting import Asked, export_lines, needing
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        asked = Asked(
            format=wire,
            threads=threads or [],
            output=output,
            at=at,
            option=option or [],
            after=after,
            only=only or [],
            status=status,
            q=q,
            parent=parent,
            metadata=metadata or [],
        )
        settings = settings_with(data_dir=data_dir)
        if wire != "parquet":
            export_lines(settings, asked)
            return
        with needing("parquet", "pyarrow"):
            from api.cli.dataset import export_parquet
        export_parquet(settings, asked)
