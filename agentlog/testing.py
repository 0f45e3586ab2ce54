"""Recorded runs in tests of agents: the names that tests import (docs/how-to/test-agents.md).

The plugin of pytest, with the marker and the fixture `agentlog`, loads by itself.
"""

from agentlog.api.testing.agent_run import AgentRun
from agentlog.api.testing.engines import assert_replays
from agentlog.api.testing.tools import RecordedToolError, recorded_tool
from agentlog.projections.exchanges.tapes.recorded_tools import CallNotRecorded
from agentlog.projections.exchanges.tapes.tool_tape import CallRefused

__all__ = [
    "AgentRun",
    "CallNotRecorded",
    "CallRefused",
    "RecordedToolError",
    "assert_replays",
    "recorded_tool",
]
