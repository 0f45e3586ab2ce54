"""Messages of SWE-agent, Letta and LangGraph."""

from collections.abc import Mapping

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import array_of, object_of, objects_of, text_at
from agentlog.projections.call_texts import value_text
from agentlog.projections.own_types.fields import Fields, Text, distinguishing, joined, texts


def _editor(fields: Fields) -> str:
    """Return the file and folder of SWE-agent's editor: its state is JSON in a text."""
    try:
        state = object_of(parse(text_at(fields, "state") or "null"))
    except InvalidJson:
        state = object_of(None)
    return distinguishing(state or fields)


def _content(fields: Fields) -> str:
    parts = " ".join(texts(*(part.get("text") for part in objects_of(fields.get("content")))))
    text = text_at(fields, "content") or parts
    return text or distinguishing(fields)


def _agent(fields: Fields) -> str:
    model = text_at(object_of(fields.get("llm_config")), "model")
    return joined(text_at(fields, "name"), model, text_at(fields, "description"))


def _block(fields: Fields) -> str:
    return joined(text_at(fields, "label"), text_at(fields, "value"))


def _checkpoint(fields: Fields) -> str:
    about = object_of(fields.get("metadata"))
    step, source = about.get("step"), text_at(about, "source")
    names = ", ".join(object_of(fields.get("values")))
    return joined(None if step is None else f"step {value_text(step)}", source, names)


def _writes(fields: Fields) -> str:
    written = [part for write in array_of(fields.get("writes")) for part in array_of(write)[1:2]]
    return joined(text_at(fields, "path"), ", ".join(texts(*written)))


SWE_AGENT: Mapping[str, Text] = {"step": _editor, "demonstration": _content}
LETTA: Mapping[str, Text] = {"agent": _agent, "block": _block, "summary": _content}
LANGGRAPH: Mapping[str, Text] = {"checkpoint": _checkpoint, "writes": _writes}
