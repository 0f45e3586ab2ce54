"""Commands of `agentlog projections`: status and control of projections."""

from typing import Annotated

import typer

from api.cli.options import DataDir

app = typer.Typer(
    invoke_without_command=True, help="Read models: where they stand; rebuild, pause, resume, run."
)
Names = Annotated[list[str] | None, typer.Argument(help="Which; all where none is named.")]


@app.callback()
def projections_(
    context: typer.Context,
    *,
    json: Annotated[bool, typer.Option("--json", help="A JSON line each.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Say where every projection stands."""
    from api.cli.session import failing_clearly, settings_with

    if context.invoked_subcommand is not None:
        return
    with failing_clearly():
        from api.cli.projecting import list_projections

        list_projections(settings_with(data_dir=data_dir), as_json=json)


@app.command("rebuild")
def rebuild_projections(names: Names = None, data_dir: DataDir = None) -> None:
    """Build anew beside what is live, and switch once it has caught up."""
    from api.cli.projecting import rebuild
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        rebuild(settings_with(data_dir=data_dir), names or [])


@app.command("pause")
def pause_projections(names: Names = None, data_dir: DataDir = None) -> None:
    """Have projections stand still."""
    from api.cli.projecting import pause
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        pause(settings_with(data_dir=data_dir), names or [])


@app.command("resume")
def resume_projections(names: Names = None, data_dir: DataDir = None) -> None:
    """Have projections go on, also those that stopped at an event."""
    from api.cli.projecting import resume
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        resume(settings_with(data_dir=data_dir), names or [])


@app.command("run")
def run_projections(
    data_dir: DataDir = None,
    *,
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
) -> None:
    """Keep projections up; `serve` does it too, unless AGENTLOG_PROJECTIONS=off."""
    from api.cli.projecting import run as run_projector
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        run_projector(settings_with(data_dir=data_dir), with_parent=with_parent)
