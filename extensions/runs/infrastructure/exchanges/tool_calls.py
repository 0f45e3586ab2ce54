"""Where the calls of an agent's tools go while it is recorded or replayed."""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx2

from agentlog.domain.errors import AgentlogError, InvalidJson
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonObject, object_of

VARIABLE = "AGENTLOG_TOOLS"
"""The variable that `record` and `replay` set for an agent: the path of the spool that calls are
recorded into, or the URL that answers them; empty where they just run."""
_PROCESSES = Path("/proc")
_SECONDS = 60


class ReplayGone(AgentlogError):
    """The replay that answers the calls of an agent's tools cannot be reached."""


def calls_go_to() -> str:
    """Return the variable's value; empty where it is not set.

    MCP clients give their servers few variables. So those that the processes above this one
    were started with count too; only Linux tells them.
    """
    name = f"{VARIABLE}=".encode()
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    for environment in _environments_above():
        for variable in environment.split(b"\0"):
            if variable.startswith(name):
                return os.fsdecode(variable.removeprefix(name))
    return ""


def _environments_above() -> Iterator[bytes]:
    process = os.getppid()
    while process > 1:
        folder = _PROCESSES / str(process)
        try:
            yield (folder / "environ").read_bytes()
            # the name, in brackets, may hold blanks and brackets
            process = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
        except OSError:
            return


def is_url(place: str) -> bool:
    """Return whether calls are answered at a place, not recorded into it."""
    return place.startswith("http://")


class ToolCalls:
    """Asks a replay for the answers of calls."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = httpx2.Client(
            timeout=_SECONDS, trust_env=False, limits=httpx2.Limits(max_keepalive_connections=0)
        )

    def ask(self, question: JsonObject) -> JsonObject:
        """Return the answer of a question.

        Raises:
            ReplayGone: there is none.
        """
        try:
            answer = self._http.post(self._url, content=print_bytes(question))
            return object_of(parse(answer.content))
        except (httpx2.HTTPError, InvalidJson) as error:
            raise ReplayGone(f"the replay that answers tools cannot be reached: {error}") from error
