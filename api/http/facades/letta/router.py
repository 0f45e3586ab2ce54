"""All routes of Letta, under the address that its client is given."""

from agentlog.api.http.facades.letta.routes import agents, messages, others, runs

ROUTERS = (agents.router, messages.router, runs.router, others.router)
