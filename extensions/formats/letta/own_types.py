"""Agents, memory blocks and summaries of Letta."""

from agentlog.domain.json.values import object_of, text_at
from agentlog.projections.own_types.registry import Fields, OwnTypes, content, joined


def _agent(fields: Fields) -> str:
    model = text_at(object_of(fields.get("llm_config")), "model")
    return joined(text_at(fields, "name"), model, text_at(fields, "description"))


def _block(fields: Fields) -> str:
    return joined(text_at(fields, "label"), text_at(fields, "value"))


OWN_TYPES = OwnTypes({"agent": _agent, "block": _block, "summary": content})
