"""Messages of a context that are not on record as they were sent: made of drafts."""

from agentlog.domain.catalogue import validate_message
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.events import Event, with_message
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import object_of
from agentlog.projections.view import Item


def event_of(event: Event, draft: Item, n: int = 0) -> Event | None:
    """Return the nth message that stands for an event, at its version; None for no message."""
    message_id = derived_message_id(event.message_id, "sent", n) if n else event.message_id
    body = {key: value for key, value in draft.items() if key != "metadata"}
    time = body.get("timestamp", object_of(event.raw).get("timestamp"))
    body |= {"id": message_id, "timestamp": time}
    try:
        message = validate_message(body)
    except InvalidMessage:
        return None
    metadata = object_of(draft.get("metadata"))
    made = (event.originator_id, event.version, message.type, print_bytes(body), message_id)
    return with_message(Event(*made, metadata=metadata), message)
