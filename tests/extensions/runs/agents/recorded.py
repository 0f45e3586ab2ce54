"""Agents recorded before a scripted provider, and replayed when it is gone."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_of
from tests.command_line import Outcome, started
from tests.providers.server import ScriptedProvider

KEY = "sk-secret-0123456789"
_SECONDS = 240
"""For what takes some seconds, on a machine that does much else."""


@dataclass(slots=True)
class Machine:
    """Runs commands in a home and a folder, which `move` makes others."""

    database: str
    provider: ScriptedProvider
    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    _places: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.move()

    @property
    def home(self) -> Path:
        """The home of the user who runs the commands."""
        return self.folder / f"home{self._places}"

    def move(self) -> None:
        """Go on in a new home and a new folder."""
        self._places += 1
        self.home.mkdir()
        (self.home / "work").mkdir()

    def record(self, command: Sequence[str]) -> Outcome:
        """Record a command into the thread `run`, before the provider."""
        return self.run("record", "--thread", "run", "--", *command)

    def replay(self, command: Sequence[str]) -> dict[str, Any]:
        """Replay a command from the thread `run`, and return the report."""
        outcome = self.run("replay", "run", "--json", "--", *command)
        report = object_of(parse(outcome.out.splitlines()[-1]))
        assert outcome.code == 0, f"{report}\n{outcome.err}"
        return report

    def run(self, *words: str) -> Outcome:
        """Run a command of agentlog."""
        with started(*words, url=self.database, cwd=self.home / "work", **self._own) as process:
            out, err = process.communicate(timeout=_SECONDS)
            return Outcome(process.returncode, out, err)

    def execute(self, command: Sequence[str], **settings: str) -> Outcome:
        """Run any command."""
        done = subprocess.run(
            command,
            cwd=self.home / "work",
            env={**os.environ, **self._own, **settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    @property
    def _own(self) -> dict[str, str]:
        url = self.provider.url
        return {
            "HOME": str(self.home),
            "AGENTLOG_SPOOL_DIR": str(self.folder / "spool"),
            "OPENAI_BASE_URL": f"{url}/v1",
            "ANTHROPIC_BASE_URL": url,
            "GOOGLE_GEMINI_BASE_URL": url,
            "OPENAI_API_KEY": KEY,
            "ANTHROPIC_API_KEY": KEY,
            "GEMINI_API_KEY": KEY,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            **self.settings,
        }


def counts(report: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return how many requests each rung found; all were, and all that is recorded was used."""
    assert (report["unmatched"], report["unused"], report["liveCalls"]) == ([], [], 0)
    return report["exact"], report["normalised"], report["outputs"]
