"""Values of a LangGraph graph's channels, by the checkpoints that its saver keeps.

The saver is `agentlog_client.adapters.langgraph`; its forms of values are read here as far as JSON
says them.
"""

from agentlog.domain.json.values import JsonObject, JsonValue, object_at
from agentlog.extensions.formats.documents import REMOVED, Documents, Removed
from agentlog.extensions.formats.json_patch import Failure

GRAPH = "graph"
CHECKPOINT = "langgraph.checkpoint"


def folded(documents: Documents, payload: JsonObject) -> tuple[Documents, list[Failure]]:
    """Return the documents after a checkpoint: the channels whose values it has are as it says."""
    values = object_at(payload, "values")
    versions = object_at(payload, "channelVersions")
    changes: dict[str, JsonValue | Removed] = {
        channel: REMOVED for channel, version in versions.items() if version is None
    }
    changes |= {channel: _plain(form) for channel, form in values.items()}
    return documents.changed(GRAPH, changes)


def _plain(form: JsonValue) -> JsonValue:
    """Return the value of a form; what JSON cannot say is named by its form."""
    match form:
        case {"json": value}:
            return value
        case {"array": list(items)} | {"tuple": list(items)}:
            return [_plain(item) for item in items]
        case {"object": dict(members)}:
            return {key: _plain(value) for key, value in members.items()}
        case {"send": [node, value]}:
            return {"node": node, "value": _plain(value)}
        case {"typed": [name, *_]}:
            return {"serialized": name}
        case _:
            return form
