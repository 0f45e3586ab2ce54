"""Coding agents, and where each keeps its sessions."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from agentlog_client.transfer.opencode import sessions_in
from agentlog_client.transfer.sources import Source, files_in


@dataclass(frozen=True, slots=True)
class WatchedAgent:
    """An agent: its name, which is that of its format, its folder, and the names of its files.

    `patterns` are of paths in the folder, as `PurePath.match` takes them. `sessions` yields them
    where they are no files.
    """

    name: str
    folder: Callable[[], Path]
    patterns: tuple[str, ...] = ()
    sessions: Callable[[Path], Iterator[Source]] | None = None

    def sources_in(self, folder: Path) -> Iterator[Source]:
        """Yield its sessions; raises `OSError`."""
        if self.sessions is not None:
            return self.sessions(folder)
        return files_in(folder, self.writes)

    def writes(self, path: PurePath) -> bool:
        """Return whether a file is one of its sessions."""
        return any(path.match(pattern) for pattern in self.patterns)


def _home(variable: str, *otherwise: str) -> Path:
    given = os.environ.get(variable)
    return Path(given) if given else Path.home().joinpath(*otherwise)


AGENTS: Mapping[str, WatchedAgent] = {
    agent.name: agent
    for agent in (
        WatchedAgent(
            "claude-code",
            lambda: _home("CLAUDE_CONFIG_DIR", ".claude") / "projects",
            ("*.jsonl",),
        ),
        WatchedAgent(
            "codex", lambda: _home("CODEX_HOME", ".codex") / "sessions", ("*.jsonl", "*.jsonl.zst")
        ),
        WatchedAgent(
            "gemini-cli",
            lambda: _home("GEMINI_CLI_HOME") / ".gemini" / "tmp",
            ("chats/session-*.json", "chats/session-*.jsonl"),
        ),
        WatchedAgent(
            "opencode",
            lambda: _home("XDG_DATA_HOME", ".local", "share") / "opencode",
            sessions=sessions_in,
        ),
    )
}
