"""Gateways as processes of tests."""

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentlog.projections.exchanges.requests import Api
from tests.command_line import started
from tests.providers.agent import Agent
from tests.providers.server import ScriptedProvider
from tests.waiting import WAIT_SECONDS, until

PROVIDERS = {
    "chat": "openai",
    "responses": "openai",
    "messages": "anthropic",
    "gemini": "gemini",
}


def settings_for(provider: ScriptedProvider, folder: Path) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": f"{provider.url}/v1",
        "ANTHROPIC_BASE_URL": provider.url,
        "GOOGLE_GEMINI_BASE_URL": provider.url,
        "AGENTLOG_SPOOL_DIR": str(folder / "spool"),
    }


class Gateway:
    """A running gateway: its process and its address."""

    def __init__(
        self, process: subprocess.Popen[str], database_url: str, settings: dict[str, str]
    ) -> None:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.search(r"http://[0-9.:]+", line)
        assert match, line + process.communicate()[1]
        self.process, self.address = process, match[0]
        self.database_url = database_url
        self.folder = Path(settings["AGENTLOG_SPOOL_DIR"]) / "gateway"

    def url(self, api: Api, *, key: str = "", thread: str = "") -> str:
        parts = (key, f"t/{thread}" if thread else "", PROVIDERS[api])
        return "/".join((self.address, *filter(None, parts)))

    def agent(
        self, api: Api, *, key: str = "", thread: str = "", headers: dict[str, str] | None = None
    ) -> Agent:
        return Agent(self.url(api, key=key, thread=thread), api, headers=headers)

    @property
    def proxy(self) -> int:
        """The process id of its proxy."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        (pid,) = " ".join(task.read_text(encoding="ascii") for task in tasks).split()
        return int(pid)

    @property
    def files(self) -> list[Path]:
        """What is not yet in the log."""
        return [*self.folder.glob("*.spool")]

    def upload(self) -> None:
        """Wait until all that ended is in the log."""
        until(lambda: not self.files, seconds=WAIT_SECONDS)

    def stop(self) -> str:
        """Stop it as Ctrl-C does; return what it said."""
        self.process.send_signal(signal.SIGINT)
        _, err = self.process.communicate(timeout=WAIT_SECONDS)
        assert self.process.returncode == 0, err
        return err


@contextmanager
def gateway(url: str, settings: dict[str, str], *, port: int = 0) -> Iterator[Gateway]:
    with started("gateway", "--port", str(port), url=url, **settings) as process:
        yield Gateway(process, url, settings)
