"""LangChain: a callback handler that records, and its messages as messages of a thread."""

from agentlog_client.adapters.langchain.handler import AgentlogCallbackHandler

__all__ = ["AgentlogCallbackHandler"]
