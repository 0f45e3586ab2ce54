"""The command watch."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text
from watchfiles import watch as changes_in

from agentlog.api.cli.remote import Key, To, by_service
from agentlog.api.cli.session import DataDir, service_in
from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.content import MOST_BYTES, plain
from agentlog.infrastructure.transfer.files.source_file import SourceFile, UnreadableSource
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.follower import FileFollower
from agentlog.infrastructure.transfer.report import ImportReport, on_one_line
from agentlog.projections.readers.masking import KNOWN_SECRETS
from agentlog.projections.readers.registry import choose_format
from agentlog_client.transfer import watch as remote
from agentlog_client.transfer.agents import AGENTS, WatchedAgent
from agentlog_client.transfer.sources import Source

app = typer.Typer()

_WAKE_MS = 1000
_PAUSE_MS = 200


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
    console = Console(stderr=True)
    with service_in(data_dir, new=True) as service:
        follower = FileFollower(service.threads, plan)
        _say(console, f"watching {root}; Ctrl-C ends it")
        is_behind = True
        # without a change it wakes too, and tries what failed once more
        for changed in changes_in(
            root, debounce=_PAUSE_MS, rust_timeout=_WAKE_MS, yield_on_timeout=True
        ):
            if not (changed or is_behind):
                continue
            is_behind = True
            try:
                for file in _files(root, agent):
                    _tell(console, file.path.name, follower.update([file]))
                is_behind = False
            except UnreadableSource:  # no file yet
                is_behind = False
            except (AgentlogError, OSError) as error:  # the database is away, say
                _say(console, f"{error}; trying again")


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


def _tell(console: Console, name: str, report: ImportReport) -> None:
    """Print what was read of a file, if there is anything to say."""
    counted = {
        "events": report.appended,
        "kept aside": len(report.of_kind("aside")),
        "secrets masked": len(report.of_kind("masked")),
    }
    counts = ", ".join(f"{number} {name}" for name, number in counted.items() if number)
    if counts:
        _say(console, f"{name}: {counts}")
    for kind in ("refused", "rewritten"):
        for finding in report.of_kind(kind):
            _say(console, f"{finding.place}: {finding.reason}")


def _say(console: Console, text: str) -> None:
    console.print(Text(on_one_line(text)), soft_wrap=True)
