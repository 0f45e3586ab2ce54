"""OpenAI Agents SDK: sessions that are threads."""

from agentlog_client.adapters.openai_agents.session import AgentlogSession

__all__ = ["AgentlogSession"]
