"""LangGraph: a checkpointer that keeps a graph's state and its conversation in a thread."""

from agentlog_client.adapters.langgraph.saver import AgentlogSaver

__all__ = ["AgentlogSaver"]
