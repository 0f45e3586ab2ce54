"""A plugin of pytest: the Agents SDK's own tests, with our session in place of SQLiteSession.

AGENTLOG_URL is the service. Sessions of one file and id are one; those in memory are each alone.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import agents
import agents.memory
import httpx2

from agentlog_client import Client
from agentlog_client.adapters.openai_agents import AgentlogSession

_CLIENT = Client(os.environ["AGENTLOG_URL"], http=httpx2.Client(trust_env=False))


class SwappedSession(AgentlogSession):
    """A session made as SQLiteSession is."""

    def __init__(self, session_id: str, db_path: str | Path = ":memory:", **more: Any) -> None:
        where = uuid4().hex if str(db_path) == ":memory:" else str(db_path)
        name = sha256(f"{where}/{session_id}".encode()).hexdigest()
        super().__init__(name, _CLIENT, **more)
        self.session_id = session_id

    def close(self) -> None:
        """Do nothing, where SQLite closes its file."""


agents.SQLiteSession = SwappedSession  # type: ignore[misc, assignment]
agents.memory.SQLiteSession = SwappedSession  # type: ignore[misc, assignment]
