"""Steps and demonstrations of SWE-agent."""

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_of, text_at
from agentlog.projections.own_types.registry import Fields, OwnTypes, content, distinguishing


def _editor(fields: Fields) -> str:
    """Return the file and folder of SWE-agent's editor: its state is JSON in a text."""
    try:
        state = object_of(parse(text_at(fields, "state") or "null"))
    except InvalidJson:
        state = object_of(None)
    return distinguishing(state or fields)


OWN_TYPES = OwnTypes({"step": _editor, "demonstration": content})
