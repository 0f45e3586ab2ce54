"""The command line as tests run it: in this process where that is enough, or as a real one."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from typer.main import get_group
from typer.testing import CliRunner

from agentlog.api.cli.main import all_commands, app
from agentlog.domain.json.text import parse
from tests.forked import ForkedPython
from tests.waiting import WAIT_SECONDS

AGENTLOG = Path(sys.executable).with_name("agentlog")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON lines."""
        return [parse(line) for line in self.out.splitlines()]

    @property
    def counted(self) -> dict[str, int]:
        """Return the figures of an import's table."""
        return figures_of(self.err)


def whole_commands() -> dict[str, Any]:
    """Return all commands by name, with their parameters."""
    return {
        name: get_group(resolve_name(command.app)).commands[name]
        for name, command in all_commands().items()
    }


def figures_of(told: str) -> dict[str, int]:
    """Return the figures of an import's table, those that are not 0."""
    rows = re.findall(r"^([a-z ]+?) +([\d,]+)(?!\S)", told, re.MULTILINE)
    rows += [("there already", number) for number in re.findall(r"([\d,]+) there already", told)]
    return {name: n for name, text in rows if (n := int(text.replace(",", "")))}


def agentlog(*arguments: str | Path, url: str, stdin: bytes = b"", columns: int = 200) -> Outcome:
    """Run a command in this process; what it does not handle is raised."""
    result = CliRunner().invoke(
        app,
        [str(argument) for argument in arguments],
        input=stdin,
        env={"AGENTLOG_DATABASE_URL": url, "COLUMNS": str(columns)},
        catch_exceptions=False,
    )
    return Outcome(result.exit_code, result.stdout, result.stderr)


def agentlog_on(data_dir: Path, *arguments: str | Path) -> Outcome:
    """Run a command on the PostgreSQL of a data folder, in this process."""
    result = CliRunner().invoke(
        app,
        [*map(str, arguments), "--data-dir", str(data_dir)],
        env={"AGENTLOG_DATABASE_URL": None, "AGENTLOG_SIGNING_KEY": None, "COLUMNS": "200"},
        catch_exceptions=False,
    )
    return Outcome(result.exit_code, result.stdout, result.stderr)


def environment(url: str | None = None) -> Mapping[str, str]:
    """Return the environment of a command: this one's, with no settings but the database.

    And without the process of projections, which is another start of Python for each service.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AGENTLOG_")}
    kept["AGENTLOG_PROJECTIONS"] = "off"
    kept["AGENTLOG_IMPORT_DIR"] = f"{tempfile.gettempdir()}/imports"
    return kept if url is None else {**kept, "AGENTLOG_DATABASE_URL": url}


def agentlog_process(*arguments: str | Path, url: str) -> Outcome:
    """Run a command to its end in a process of its own."""
    with started(*arguments, url=url) as process:
        out, err = process.communicate(timeout=4 * WAIT_SECONDS)
        return Outcome(process.returncode, out, err)


@contextmanager
def started(
    *arguments: str | Path, url: str | None = None, cwd: Path | None = None, **settings: str
) -> Iterator[subprocess.Popen[str]]:
    """Start a command as a process, which does not outlive the block."""
    process = ForkedPython(
        [AGENTLOG, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**environment(url), **settings},
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def as_words(value: object) -> str:
    """Return a command's words as the id of a parametrized test; what goes with them is no id."""
    return " ".join(map(str, value)) if isinstance(value, list) else ""
