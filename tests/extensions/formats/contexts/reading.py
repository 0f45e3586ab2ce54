"""Documents read as the events of a thread, and what stood in their contexts."""

from typing import Any

from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.projections.context.context import Context
from agentlog.projections.readers.draft import sample_event
from agentlog.projections.readers.history import Format


def events_in(form: Format, document: Any) -> list[Event]:
    """Return the events of the one history of a document."""
    (history,) = form.read(document)
    drafts = ({"id": derived_message_id("t", n), **draft} for n, draft in enumerate(history.drafts))
    return [sample_event(draft, n + 1) for n, draft in enumerate(drafts)]


def said(context: Context) -> list[str]:
    """Return what stands in a context: a text, the id of a call, or that of a result's call."""
    return [text for event in context.events for text in _texts(event.message)]


def _texts(message: Any) -> list[str]:
    match message:
        case None:
            return []
        case _ if message.type in {"input", "reply", "system"}:
            return [message.text or "(file)"]
        case _ if message.type == "tool_calls":
            return [f"call {call.id}" for call in message.calls]
        case _ if message.type == "tool_results":
            return [f"result {result.call_id}" for result in message.results]
        case _:
            return []
