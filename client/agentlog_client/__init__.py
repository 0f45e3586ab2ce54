"""The Python client of agentlog: ask it (`Client`, `AsyncClient`), and record into it."""

from agentlog_client.async_client import AsyncClient
from agentlog_client.client import Client
from agentlog_client.errors import (
    AgentlogError,
    Conflict,
    InvalidRequest,
    NotAllowed,
    NotAuthenticated,
    NotJson,
    NotThere,
    Problem,
    ServiceAway,
    Unavailable,
    UnexpectedAnswer,
    VersionConflict,
)
from agentlog_client.exchange import Retries
from agentlog_client.recorder import Recorder, Trouble

__all__ = [
    "AgentlogError",
    "AsyncClient",
    "Client",
    "Conflict",
    "InvalidRequest",
    "NotAllowed",
    "NotAuthenticated",
    "NotJson",
    "NotThere",
    "Problem",
    "Recorder",
    "Retries",
    "ServiceAway",
    "Trouble",
    "Unavailable",
    "UnexpectedAnswer",
    "VersionConflict",
]
