"""OpenAI Agents SDK: sessions that are threads, and what its traces say beside them."""

from agentlog_client.adapters.openai_agents.session import AgentlogSession
from agentlog_client.adapters.openai_agents.tracing import AgentlogTracingProcessor

__all__ = ["AgentlogSession", "AgentlogTracingProcessor"]
