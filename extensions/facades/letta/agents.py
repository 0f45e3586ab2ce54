"""A thread as an agent of Letta, with its conversation and memory."""

from collections.abc import Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.answers import time_text
from agentlog.domain.json.values import JsonValue, text_at
from agentlog.domain.messages import LlmResponseMessage, ScratchpadMessage, SystemMessage
from agentlog.domain.points_in_time import Moment
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.tenants import Tenant
from agentlog.infrastructure.views.results import State
from agentlog.projections.registry import choose_view
from agentlog.projections.view import Item

AGENT_TYPE = "letta_v1_agent"
"""The type of an agent whose texts are said to the user."""
_UNKNOWN = "unknown"


def agent_json(tenant: Tenant, head: Head, *, at: Moment | None = None) -> Item:
    """Return a thread as an agent."""
    threads, agent_id = tenant.threads, head.thread_id
    prompts = threads.messages(agent_id, at=at, types=["system"], limit=1)
    request = tenant.views.view(agent_id, choose_view("request"), at=at)
    model = text_at(request.state, "model") if isinstance(request, State) else None
    answers = threads.messages(agent_id, at=at, types=["llm_response"], limit=1)
    blocks = blocks_of(agent_id, threads.messages(agent_id, at=at, types=["scratchpad"]))
    listed: list[JsonValue] = [*blocks]
    return {
        "id": agent_id,
        "name": text_at(head.metadata, "agent") or agent_id,
        "agent_type": AGENT_TYPE,
        "description": head.goal,
        "system": next((_text(event) for event in prompts), ""),
        "blocks": listed,
        "memory": {"blocks": listed},
        "llm_config": {
            "model": model or next(map(_model, answers), None) or _UNKNOWN,
            "model_endpoint_type": "openai",
            "context_window": 0,
        },
        "sources": [],
        "tags": [],
        "tools": [],
        "metadata": dict(head.metadata),
        "created_at": time_text(head.started_at),
        "updated_at": time_text(head.updated_at),
    }


def conversation_json(head: Head) -> Item:
    """Return a thread as the one conversation of its agent."""
    return {
        "id": head.thread_id,
        "agent_id": head.thread_id,
        "summary": head.goal,
        "created_at": time_text(head.started_at),
        "updated_at": time_text(head.updated_at),
        "last_message_at": time_text(head.updated_at),
    }


def blocks_of(agent_id: str, scratchpad: Sequence[Event]) -> list[Item]:
    """Return the memory of an agent: its scratchpad, if there is anything in it."""
    texts: list[str] = []
    for event in scratchpad:
        if isinstance(message := event.message, ScratchpadMessage):
            if message.mode != "append" or not any(texts):
                texts = []  # before the first text no line ends
            texts.append(message.text)
    value = "\n".join(texts)
    return [{"id": f"block-{agent_id}", "label": "scratchpad", "value": value}] if value else []


def _text(event: Event) -> str:
    return event.message.text if isinstance(event.message, SystemMessage) else ""


def _model(event: Event) -> str | None:
    return event.message.model if isinstance(event.message, LlmResponseMessage) else None
