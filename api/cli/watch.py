"""The command watch."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from agentlog.api.cli.remote import Key, To, by_service
from agentlog.api.cli.session import DataDir, service_in
from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.content import MOST_BYTES, plain
from agentlog.infrastructure.transfer.files.source_file import SourceFile, UnreadableSource
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.follower import FileFollower
from agentlog.infrastructure.transfer.report import ImportReport
from agentlog.projections.masking.mask import KNOWN_SECRETS
from agentlog.projections.readers.registry import choose_format
from agentlog_client.transfer import watch as remote
from agentlog_client.transfer.agents import AGENTS, WatchedAgent
from agentlog_client.transfer.screen import Screen
from agentlog_client.transfer.sources import Source

app = typer.Typer()


@app.command("watch")
def watch(  # noqa: PLR0913 - one parameter an option
    name: Annotated[
        str, typer.Argument(metavar="AGENT", help=f"One of {', '.join(AGENTS)}, or a folder.")
    ],
    folder: Annotated[
        Path | None,
        typer.Argument(help="The agent's folder; by default where it puts its sessions."),
    ] = None,
    wire: Annotated[
        str | None,
        typer.Option("--format", help="Of the files in a folder; found out by default."),
    ] = None,
    *,
    mask: Annotated[
        bool, typer.Option(help="Mask secrets of known shapes before they are written.")
    ] = True,
    to: To = None,
    key: Key = None,
    data_dir: DataDir = None,
) -> None:
    """Follow the session files of a coding agent, or a folder of files, until Ctrl-C."""
    with by_service():
        if to is not None:
            remote.watch(name, folder, url=to, key=key, format=wire, mask=mask)
            return
        agent, root = remote.watched(name, folder)
    wire = wire or (None if agent is None else agent.name)
    chosen = None if wire is None else choose_format(wire)
    plan = Plan(chosen, masks=KNOWN_SECRETS if mask else ())
    screen = Screen()
    with service_in(data_dir, new=True) as service:
        follower = FileFollower(service.threads, plan)

        def update() -> bool:
            try:
                files = [*_files(root, agent)]
            except UnreadableSource:  # no file yet
                return True
            except OSError as error:
                screen.line(f"{error}; trying again")
                return False
            is_behind = False
            for file in files:
                try:
                    _tell(screen, file, follower.update([file]))
                except UnreadableSource:  # it is gone
                    continue
                except Exception as error:  # noqa: BLE001 - other files go on
                    screen.line(f"{file.path.name}: {error}; trying again")
                    is_behind = True
                    if isinstance(error, AgentlogError) and error.transient:
                        break  # the database is away, say
            return not is_behind

        remote.follow(root, update, screen)


def _tell(screen: Screen, file: SourceFile, report: ImportReport) -> None:
    findings = [(item.kind, item.place, item.reason) for item in report.findings]
    kinds = Counter(kind for kind, *_ in findings)
    remote.tell(screen, file.path.name, {**kinds, "appended": report.appended}, findings)


def _files(root: Path, agent: WatchedAgent | None) -> Iterator[SourceFile]:
    """Yield what is watched; raises `UnreadableSource` where a folder has no such file."""
    if agent is None:
        yield from find_sources([root]).files
        return
    for source in agent.sources_in(root):
        name, content = PurePosixPath(source.name), plain(partial(_content, source), 0, MOST_BYTES)
        yield SourceFile(str(root / name), name, 0, content, stamp=source.stamp)


def _content(source: Source) -> bytes:
    try:
        with source.open() as file:
            return file.read()
    except OSError as error:
        raise UnreadableSource(f"cannot be read: {error.strerror}") from error
