"""What tests of formats look at: drafts by type, figures, and what was noted."""

from collections import Counter
from typing import Any

from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.history import History
from agentlog.projections.readers.registry import FORMATS


def read(name: str, document: JsonValue) -> History:
    """Return the only history of a document."""
    (history,) = FORMATS[name].read(document)
    return history


def of_type(history: History, name: str) -> list[dict[str, Any]]:
    """Return the drafts of one type, without ids, times and metadata."""
    beside = {"id", "timestamp", "metadata", "type"}
    return [
        {key: value for key, value in draft.items() if key not in beside}
        for draft in history.drafts
        if draft["type"] == name
    ]


def types(history: History) -> dict[str, int]:
    """Return how many drafts there are of each type."""
    return dict(Counter(str(draft["type"]) for draft in history.drafts))


def noted(history: History) -> list[str]:
    """Return the places of what no reader knows."""
    return [aside.place for aside in history.unmapped]
