"""What a program does not use it need not have: adapters are imported by name alone."""

import subprocess
import sys

PROGRAM = """
import sys
import agentlog_client, agentlog_client.adapters
assert not {"langchain_core", "langgraph", "agents", "claude_agent_sdk"} & set(sys.modules)
import agentlog_client.adapters.langchain
assert "langgraph" not in sys.modules
"""


def test_frameworks_are_imported_where_they_are_used() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
