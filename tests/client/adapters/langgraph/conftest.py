"""A saver over a service on loopback."""

import pytest

from agentlog_client import Client
from agentlog_client.adapters.langgraph import AgentlogSaver


@pytest.fixture
def saver(client: Client) -> AgentlogSaver:
    """A saver that has read nothing yet."""
    return AgentlogSaver(client)
