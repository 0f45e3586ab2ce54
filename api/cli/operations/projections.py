"""The commands of `agentlog projections`: status, rebuild, pause, resume, run."""

import signal
import sys
import threading
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from agentlog.api.cli.session import (
    AsJson,
    DataDir,
    print_line,
    service_in,
    settings_with,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.composition import Service, open_service
from agentlog.api.shapes import threads
from agentlog.infrastructure.postgres.listening.notifications import PROJECTED
from agentlog.infrastructure.postgres.write_access import WhileWritable
from agentlog.infrastructure.readmodels.builds import Build
from agentlog.infrastructure.readmodels.projection import Projection, StepResult
from agentlog.infrastructure.readmodels.projection_status import RebuildUnderWay
from agentlog.infrastructure.readmodels.projector import Projector
from agentlog.infrastructure.runtime.garbage import collect_rarely
from agentlog.infrastructure.runtime.logging import logs_on_stderr
from agentlog.infrastructure.runtime.supervised_process import end_with_parent
from agentlog.projections.readmodels.registry import READ_MODELS, read_model

app = typer.Typer()
projections_ = typer.Typer(
    invoke_without_command=True, help="Read models: where they stand; rebuild, pause, resume, run."
)
app.add_typer(projections_, name="projections")
Names = Annotated[list[str] | None, typer.Argument(help="Which; all where none is named.")]


@projections_.callback()
def status(context: typer.Context, *, json: AsJson = False, data_dir: DataDir = None) -> None:
    """Say where every projection stands."""
    if context.invoked_subcommand is None:
        with service_in(data_dir) as service:
            _print(service.projection_status.builds(), as_json=json)


@projections_.command()
def rebuild(names: Names = None, data_dir: DataDir = None) -> None:
    """Build anew beside what is live, and switch once it has caught up."""
    opening, chosen = service_in(data_dir), _chosen(names)
    with opening as service:
        for name in chosen:
            try:
                service.projection_status.rebuild(name)
            except RebuildUnderWay as error:
                Console(stderr=True).print(Text(f"{error}; going on with it"))
            _build(service, name)  # a running service may do part of it


@projections_.command()
def pause(names: Names = None, data_dir: DataDir = None) -> None:
    """Have projections stand still."""
    with service_in(data_dir) as service:
        builds = [
            build for name in _chosen(names) for build in service.projection_status.pause(name)
        ]
        _print(builds, as_json=False)


@projections_.command()
def resume(names: Names = None, data_dir: DataDir = None) -> None:
    """Have projections go on, also those that stopped at an event."""
    with service_in(data_dir) as service:
        builds = [
            build for name in _chosen(names) for build in service.projection_status.resume(name)
        ]
        _print(builds, as_json=False)


@projections_.command()
def run(
    data_dir: DataDir = None,
    *,
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
) -> None:
    """Keep projections up; `serve` does it too, unless AGENTLOG_PROJECTIONS=off."""
    settings = settings_with(data_dir=data_dir)
    ended = threading.Event()
    collect_rarely()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    if with_parent:
        end_with_parent(sys.stdin.buffer, ended.set)
    with (
        logs_on_stderr(form=settings.log_format, level=settings.log_level),
        open_service(settings) as service,
        WhileWritable(
            service.database.write_access,
            lambda: Projector(
                service.database,
                service.listener,
                READ_MODELS.values(),
                search_days=settings.search_days,
            ),
        ),
    ):
        if not with_parent:
            Console().print(Text(f"keeping {len(READ_MODELS)} projections up in {service.where}"))
        ended.wait()


def _chosen(names: Sequence[str] | None) -> list[str]:
    return [read_model(name).name for name in names or ()] or list(READ_MODELS)


def _build(service: Service, name: str) -> None:
    """Run the newest build of a projection until it is live, and show its progress."""
    woken = threading.Event()
    off = service.listener.on(PROJECTED, woken.set)
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    try:
        with service.database.connect() as connection, Progress(*columns, console=console) as bar:
            task = bar.add_task(name, total=None)
            build = _newest(service, name)
            projection = Projection(read_model(name), build.build)
            while True:
                woken.clear()
                step = projection.step(connection)
                build = _newest(service, name)
                bar.update(task, completed=build.position, total=build.log_position)
                present = build.state == "live" and (step is StepResult.AT_PRESENT or not build.lag)
                if present or build.stopped_at is not None or build.paused:
                    break
                if step is StepResult.RESTING:  # a service is building it
                    woken.wait(1.0)
    finally:
        off()
    _print([build], as_json=False)


def _newest(service: Service, name: str) -> Build:
    builds = [build for build in service.projection_status.builds() if build.name == name]
    return max(builds, key=lambda build: build.build)


def _print(builds: Sequence[Build], *, as_json: bool) -> None:
    if as_json:
        for build in builds:
            print_line(threads.Projection.of(build))
        return
    table = Table("projection", "build", "state", "position", "lag", "since", "reason")
    for build in builds:
        table.add_row(
            build.name,
            str(build.build),
            build.standing,
            f"{build.position:,}",
            f"{build.lag:,}",
            f"{build.live_at or build.started_at:%Y-%m-%d %H:%M}",
            Text(printable(build.reason or "")),
        )
    Console().print(table)
    if not builds:
        Console(stderr=True).print(
            Text("none is built yet: `agentlog serve` and `agentlog projections run` do that")
        )
