"""The command watch."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text
from watchfiles import watch as changes_in

from agentlog.api.cli.session import DataDir, InvalidOption, service_in
from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.settings import AgentSettings
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.source_file import UnreadableSource
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.follower import FileFollower
from agentlog.infrastructure.transfer.report import ImportReport, on_one_line
from agentlog.projections.readers.masking import KNOWN_SECRETS
from agentlog.projections.readers.registry import choose_format

app = typer.Typer()

_WAKE_MS = 1000
_PAUSE_MS = 200


class Agent(StrEnum):
    """An agent whose session files are followed."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"


@app.command("watch")
def watch(
    agent: Annotated[Agent, typer.Argument(help="Whose session files.")],
    folder: Annotated[
        Path | None,
        typer.Argument(help="Their folder; by default where the agent puts them."),
    ] = None,
    *,
    mask: Annotated[
        bool, typer.Option(help="Mask secrets of known shapes before they are written.")
    ] = True,
    data_dir: DataDir = None,
) -> None:
    """Follow the session files of a coding agent until Ctrl-C."""
    homes = AgentSettings()
    homes_of = {
        Agent.CLAUDE_CODE: homes.claude_config_dir / "projects",
        Agent.CODEX: homes.codex_home / "sessions",
    }
    root = folder or homes_of[agent]
    if not root.is_dir():
        raise InvalidOption(f"{root}: no such folder; name it: agentlog watch {agent} FOLDER")
    plan = Plan(choose_format(agent), masks=KNOWN_SECRETS if mask else ())
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
                for file in find_sources([root]).files:
                    _tell(console, file.path.name, follower.update([file]))
                is_behind = False
            except UnreadableSource:  # no file yet
                is_behind = False
            except AgentlogError as error:  # the database is away, say
                _say(console, f"{error}; trying again")


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
