"""Checkpoints of LangGraph."""

from agentlog.domain.json.values import array_of, object_of, text_at
from agentlog.projections.call_texts import value_text
from agentlog.projections.own_types.registry import Fields, OwnTypes, joined, texts


def _checkpoint(fields: Fields) -> str:
    about = object_of(fields.get("metadata"))
    step, source = about.get("step"), text_at(about, "source")
    names = ", ".join(object_of(fields.get("values")))
    return joined(None if step is None else f"step {value_text(step)}", source, names)


def _writes(fields: Fields) -> str:
    written = [part for write in array_of(fields.get("writes")) for part in array_of(write)[1:2]]
    return joined(text_at(fields, "path"), ", ".join(texts(*written)))


OWN_TYPES = OwnTypes({"checkpoint": _checkpoint, "writes": _writes})
