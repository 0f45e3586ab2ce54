"""The context of a model at a version: the messages that stood in it, and what was left out.

Each message follows another one: the one that it names, else the one before it in the log. The
context is what lies on the way from the last message back to the first, changed on the way forward
by compactions, rewinds and deletions.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agentlog.domain.catalogue import validate_message
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.events import Event, with_message
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import object_of
from agentlog.projections.context.links import (
    LINKS,
    Cause,
    Link,
    LinkReader,
    Standing,
    fields_of,
)
from agentlog.projections.view import Item

_NO_LINK = Link()
_OWN = "agentlog"
_SPOKEN = frozenset({"input", "reply", "reasoning", "tool_calls", "tool_results", "system"})


class Dropped(NamedTuple):
    """A message that is not in a context: its version, since which version, and why."""

    version: int
    at: int
    cause: Cause


@dataclass(frozen=True, slots=True)
class Context:
    """What a model was sent: messages in their order, those that were left out, what is unknown.

    An event that brought several messages is there once for each, at its version.
    """

    events: Sequence[Event] = ()
    dropped: Sequence[Dropped] = ()
    missing: Sequence[str] = ()


def context_at(events: Iterable[Event], version: int | None = None) -> Context:
    """Return the context after a version of a history, by default after the last."""
    contexts = Contexts()
    for event in events:
        contexts.add(event)
    return contexts.after(version)


class _Node(NamedTuple):
    event: Event
    link: Link
    before: int
    """The index of the message that it follows, -1 for none."""
    key: str | None
    is_lost: bool


@dataclass(slots=True)
class Contexts:
    """The contexts of a history, which is added event by event."""

    _nodes: list[_Node] = field(default_factory=list)
    _keys: dict[str, int] = field(default_factory=dict)
    _readers: dict[str, LinkReader] = field(default_factory=dict)
    _wire: str | None = None
    """The wire of the source that was read last: it keeps nothing beside most of its messages."""

    def add(self, event: Event) -> None:
        """Add the next event."""
        link = self._link(event) or _NO_LINK
        last = len(self._nodes) - 1
        before, is_lost = last, False
        if link.root:
            before = -1
        elif link.parent is not None:
            before = self._keys.get(link.parent, -1)
            is_lost = before < 0
        key = link.key
        if key is None and before == last and last >= 0:
            key = self._nodes[last].key  # another message of the same item
        self._nodes.append(_Node(event, link, before, key, is_lost))
        self._keys[event.message_id] = last + 1
        if key is not None:
            self._keys[key] = last + 1

    def after(self, version: int | None = None) -> Context:
        """Return the context after a version, by default after the last."""
        end = len(self._nodes)
        if version is not None:
            end = bisect_right(self._nodes, version, key=lambda node: node.event.version)
        return self._context(end - 1, end)

    def of_answer(self, versions: Sequence[int]) -> Context:
        """Return the context that an answer was made of, which these versions are."""
        named = frozenset(versions)
        own = [n for n, node in enumerate(self._nodes) if node.event.version in named]
        if not own:
            return self.after()
        linked = next((n for n in own if self._nodes[n].link.parent is not None), own[0])
        return self._context(self._nodes[linked].before, own[0])

    def _link(self, event: Event) -> Link | None:
        wire, fields = fields_of(event) or (self._wire, {})
        if wire is None:
            return None
        if wire != _OWN:
            self._wire = wire
        reader = self._readers.get(wire)
        if reader is None:
            reader = self._readers[wire] = LINKS[wire]()
        return reader(event, fields)

    def _context(self, leaf: int, end: int) -> Context:
        """Return the context of the messages up to `leaf`, as it was before the index `end`."""
        on_way = set(self._way(leaf))
        return _Walk(self._nodes, on_way).context(end)

    def _way(self, leaf: int) -> Iterator[int]:
        while leaf >= 0:
            yield leaf
            leaf = self._nodes[leaf].before


class _Walk:
    """The way forward: what stands, and what left."""

    def __init__(self, nodes: Sequence[_Node], on_way: set[int]) -> None:
        self._nodes, self._on_way = nodes, on_way
        self._prompts: list[Standing] = []
        self._standing: list[Standing] = []
        self._dropped: list[Dropped] = []
        self._missing: list[str] = []
        self._left = set[int]()
        """The versions that left the context."""
        self._unsummed: int | None = None
        """The version of a compaction whose summary has not come."""

    def context(self, end: int) -> Context:
        aside: list[int] = []
        for n in range(self._exact(end), end):
            if n in self._on_way or self._stays(n):
                self._on_way.add(n)
                self._take(self._nodes[n])
            else:
                aside.append(n)
        self._note_unsummed()
        self._drop_branches(aside)
        dropped = sorted(dict.fromkeys(self._dropped))
        standing = [*self._prompts, *self._standing]
        return Context([s.event for s in standing], dropped, self._missing)

    def _exact(self, end: int) -> int:
        """Return the index of the last message that brings the whole context, or of the first."""
        for n in sorted(self._on_way, reverse=True):
            change = self._nodes[n].link.change
            if n < end and change is not None and change.is_exact and _sent(self._nodes[n]):
                return n
        return 0

    def _stays(self, n: int) -> bool:
        """Return whether a message off the way stands by one that stands."""
        node = self._nodes[n]
        follows = node.link.stays_with or (node.link.key is None and node.before == n - 1)
        if not follows or node.before not in self._on_way:
            return False
        return self._nodes[node.before].event.version not in self._left

    def _take(self, node: _Node) -> None:
        link, event = node.link, node.event
        if node.is_lost:
            self._missing.append(
                f"what came before version {event.version}: the message that it follows is not "
                "on record"
            )
        if link.missing is not None:
            self._missing.append(link.missing)
        if link.change is not None and not link.change.is_exact:
            self._note_unsummed()
            self._change(node)
            if link.change.is_summed_up and not link.sent:
                self._unsummed = event.version
        if link.is_summary:
            self._unsummed = None
        keys = frozenset(filter(None, (node.key, event.message_id)))
        messages = [Standing(message, keys) for message in _sent(node)]
        standing = self._prompts if link.is_prompt else self._standing
        at = len(standing) if link.at is None else link.at
        standing[at:at] = messages

    def _change(self, node: _Node) -> None:
        change = node.link.change
        if change is None:
            return
        kept = list(change.keeps(self._standing))
        stay = {id(standing) for standing in kept}
        for standing in self._standing:
            if id(standing) not in stay:
                self._left.add(standing.version)
                self._drop(standing.event, node.event, change.cause)
        self._standing = kept

    def _drop(self, event: Event, at: Event, cause: Cause) -> None:
        if event.type in _SPOKEN:
            self._dropped.append(Dropped(event.version, at.version, cause))

    def _note_unsummed(self) -> None:
        if self._unsummed is not None:
            self._missing.append(f"the summary of the compaction at version {self._unsummed}")
            self._unsummed = None

    def _drop_branches(self, aside: Sequence[int]) -> None:
        """Note what stands on other branches: they were left by the next message of this one."""
        way = iter(sorted(self._on_way))
        following = next(way, None)
        for n in aside:
            while following is not None and following < n:
                following = next(way, None)
            at = self._nodes[n if following is None else following]
            self._drop(self._nodes[n].event, at.event, "branch")


def _sent(node: _Node) -> Sequence[Event]:
    """Return the messages that stand for one."""
    sent = node.link.sent
    if sent is None:
        return [node.event]
    return [*_events(node.event, sent() if callable(sent) else sent)]


def _events(event: Event, drafts: Iterable[Item]) -> Iterator[Event]:
    """Yield the messages that stand for an event; what is no message is left out."""
    time = object_of(event.raw).get("timestamp")
    for n, draft in enumerate(drafts):
        message_id = derived_message_id(event.message_id, "sent", n) if n else event.message_id
        metadata = object_of(draft.get("metadata"))
        body = {key: value for key, value in draft.items() if key != "metadata"}
        body |= {"id": message_id, "timestamp": body.get("timestamp", time)}
        try:
            message = validate_message(body)
        except InvalidMessage:
            continue
        yield with_message(
            Event(
                event.originator_id,
                event.version,
                message.type,
                print_bytes(body),
                message_id,
                metadata=metadata,
            ),
            message,
        )
