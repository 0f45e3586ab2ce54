"""Changes of a value as JSON, for HTTP and the command line."""

from typing import Any

from typing_extensions import TypedDict

from agentlog.api.shapes.shape import TimeText, shaped, time_text
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.infrastructure.comparison import value_changes


class ValueChange(TypedDict):
    """A message after which a path selects other values than before it.

    `count` is how many they are. `cut`: they are not shown whole; `values` is null where they are
    too large even then.
    """

    version: int
    position: int
    recordedAt: TimeText
    values: list[Any] | None
    count: int
    cut: bool


class ValueChanges(TypedDict):
    """The changes of the values up to the version `examined`.

    With `next` there are later versions, and there may be more changes: a page may have few or
    none, as a request examines a bounded number of messages.
    """

    threadId: str
    examined: int
    items: list[ValueChange]
    next: str | None


def value_changes_json(changes: "value_changes.ValueChanges") -> dict[str, object]:
    """Return where the values changed."""
    return {
        "threadId": changes.thread_id,
        "examined": changes.examined,
        "items": [
            shaped(ValueChange, change, recordedAt=time_text(change.recorded_at), cut=change.is_cut)
            for change in changes.items
        ],
        "next": None if changes.next is None else str(changes.next),
    }
