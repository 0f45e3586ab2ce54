"""Recorded runs in tests of agents: the names that tests import.

The guide is extensions/runs/docs/test-agents.md. The plugin of pytest, with the marker and the
fixture `agentlog`, loads by itself.
"""

from agentlog.extensions.runs.api.testing.agent_run import AgentRun
from agentlog.extensions.runs.api.testing.engines import assert_replays
from agentlog.extensions.runs.api.testing.tools import RecordedToolError, recorded_tool
from agentlog.extensions.runs.projections.tapes.recorded_tools import CallNotRecorded
from agentlog.extensions.runs.projections.tapes.tool_tape import CallRefused

__all__ = [
    "AgentRun",
    "CallNotRecorded",
    "CallRefused",
    "RecordedToolError",
    "assert_replays",
    "recorded_tool",
]
