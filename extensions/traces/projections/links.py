"""Which turns stood in the context of a model, by what messages of spans note of it.

A message of a thread that spans go on adding to notes the turns that it begins, each with the node
before it: they make a tree (`readers/contexts.py`). A record `context_rewritten` names those of its
turns that were told before. Messages of a file note nothing: then it is known that a context begins
anew, but not what it keeps of another.
"""

from agentlog.domain.events import Event
from agentlog.domain.json.values import array_of, integer_at, object_at
from agentlog.domain.messages import ToolCallsMessage, ToolResultsMessage
from agentlog.extensions.traces.projections.readers.contexts import path_of
from agentlog.extensions.traces.projections.readers.drafts import METADATA
from agentlog.projections.context.links import Again, Change, Link, LinkReader, nothing
from agentlog.projections.view import Item


def span_links() -> LinkReader:
    """Return what reads the links of a thread."""
    return _Thread().link


class _Thread:
    """What was read so far.

    `_nodes` has the message that ends at a node, `_turns` those of each turn by its digest,
    `_calls` the message of each call, `_prompt` the last system prompt.
    """

    def __init__(self) -> None:
        self._nodes = dict[str, str]()
        self._turns = dict[str, list[str]]()
        self._calls = dict[str, str]()
        self._prompt: str | None = None
        self._last = list[str]()

    def link(self, event: Event, fields: Item) -> Link | None:
        """Return the link of a message."""
        turns = array_of(object_at(event.metadata, METADATA).get("turns"))
        noted = [(str(turn[0]), str(turn[-1])) for turn in map(array_of, turns) if turn]
        if event.type.endswith(".context_rewritten"):
            return self._rewritten(event, fields, noted)
        if event.type == "system":
            before, self._prompt = self._prompt, event.message_id
            return Link(parent=before, root=before is None, is_prompt=True)
        if isinstance(event.message, ToolCallsMessage):
            self._calls |= {call.id: event.message_id for call in event.message.calls}
        if noted:
            self._last = []
            for _, digest in noted:
                self._turns[digest] = self._last
        self._last.append(event.message_id)
        if noted:
            return self._follow(event, noted)
        call = self._calls.get(_call_of(event) or "")
        return None if call is None else Link(parent=call, stays_with=True)

    def _follow(self, event: Event, noted: list[tuple[str, str]]) -> Link:
        before = noted[0][0]
        parent = self._nodes.get(before) if before else self._prompt
        for at, digest in noted:
            self._nodes[path_of([digest], begin=at)[-1]] = event.message_id
        return Link(parent=parent, root=not before and parent is None)

    def _rewritten(self, event: Event, fields: Item, noted: list[tuple[str, str]]) -> Link:
        if noted:
            messages = [message for _, digest in noted for message in self._turns.get(digest, [])]
            link = self._follow(event, noted)
            return Link(
                parent=link.parent, root=link.root, sent=[*map(Again, dict.fromkeys(messages))]
            )
        if self._nodes:
            return Link()  # the next message notes what it follows
        if integer_at(fields, "kept") or integer_at(fields, "repeated"):
            return Link(missing=f"which messages the client left out at version {event.version}")
        return Link(sent=(), change=Change("compaction", nothing))


def _call_of(event: Event) -> str | None:
    message = event.message
    return message.results[0].call_id if isinstance(message, ToolResultsMessage) else None
