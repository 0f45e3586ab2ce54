"""All routes of OpenAI's API that there are."""

from agentlog.api.http.facades.openai import completions, conversations, models, responses

ROUTERS = (conversations.router, completions.router, responses.router, models.router)
