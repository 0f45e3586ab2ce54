"""Errors of the tools for assistants."""

from agentlog.domain.errors import AgentlogError


class McpMissing(AgentlogError, kind="unimplemented"):
    """The tools for assistants need an extra that is not installed."""

    def __init__(self) -> None:
        super().__init__("tools for assistants need more packages: pip install 'agentlog[mcp]'")
