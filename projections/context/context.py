"""The context of a model at a version: the messages that stood in it, and what was left out.

Each message follows another one: the one that it names, else the one before it in the log. The
context is what lies on the way from the last message back to the first, changed on the way forward
by compactions, rewinds and deletions.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agentlog.domain.events import Event
from agentlog.domain.json.values import object_at, object_of
from agentlog.projections.context.drafts import event_of
from agentlog.projections.context.links import (
    LINKS,
    Again,
    Cause,
    Link,
    LinkReader,
    Standing,
    fields_of,
)

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

    _is_edited: bool = False
    """Whether it is a fork without some messages of its origin: what followed them follows on."""

    def add(self, event: Event) -> None:
        """Add the next event."""
        if event.type == "thread.forked":
            self._is_edited = bool(object_at(object_of(event.raw), "forkedFrom").get("edits"))
        link = self._link(event) or _NO_LINK
        last = len(self._nodes) - 1
        before, is_lost = last, False
        if link.root:
            before = -1
        elif link.parent is not None:
            before = self._keys.get(link.parent, last if self._is_edited else -1)
            is_lost = before < 0
        key = link.key
        if key is None and link.parent is None and before == last and last >= 0:
            key = self._nodes[last].key  # another message of the same item
        self._nodes.append(_Node(event, link, before, key, is_lost))
        self._keys[event.message_id] = last + 1
        if key is not None:
            self._keys[key] = last + 1

    @property
    def has_links(self) -> bool:
        """Whether a context may be another than all that came before it."""
        return any(node.link is not _NO_LINK for node in self._nodes)

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
        self._missing: list[tuple[int, str]] = []
        self._told: dict[str, list[Standing]] = {}
        """What was said so far by key, whether it stands or not."""
        self._left = set[int]()
        """The versions that left the context."""
        self._calls: tuple[str | None, int] = None, 0
        """The answer whose calls came last, and the place behind these: before their results."""
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
                if not callable(self._nodes[n].link.sent):
                    self._sent(self._nodes[n])  # it may be told again
        self._note_unsummed()
        self._drop_branches(aside)
        events = [standing.event for standing in (*self._prompts, *self._standing)]
        there = {event.version for event in events}
        dropped = sorted({drop for drop in self._dropped if drop.version not in there})
        return Context(events, dropped, [*dict.fromkeys(what for _, what in self._missing)])

    def _exact(self, end: int) -> int:
        """Return the index of the last message that brings the whole context, or of the first."""
        for n in sorted(self._on_way, reverse=True):
            link = self._nodes[n].link
            if n < end and link.change is not None and link.change.is_exact and link.pieces:
                return n
        return 0

    def _stays(self, n: int) -> bool:
        """Return whether a message off the way stands by one that stands."""
        node = self._nodes[n]
        is_part = node.link.key is None and node.link.parent is None and node.before == n - 1
        follows = node.link.stays_with or is_part
        if not follows or node.before not in self._on_way:
            return False
        return self._nodes[node.before].event.version not in self._left

    def _take(self, node: _Node) -> None:
        link, event, change = node.link, node.event, node.link.change
        if node.is_lost and not (change and change.is_summed_up):
            what = f"what came before version {event.version}: the message that it follows is not "
            self._missing.append((event.version, f"{what}on record"))
        if change is not None and not change.is_exact:
            self._note_unsummed()
            self._change(node)
            if change.is_summed_up and not link.sent:
                self._unsummed = event.version
        if link.missing is not None:
            self._missing.append((event.version, link.missing))
        if link.is_summary:
            self._unsummed = None
        standing = self._prompts if link.is_prompt else self._standing
        at = len(standing) if link.at is None else link.at
        if event.type == "tool_calls" and event.response_id is not None:
            answer, behind = self._calls
            at = behind if link.at is None and answer == event.response_id else at
        messages = self._sent(node)
        standing[at:at] = messages
        if event.type == "tool_calls":
            self._calls = event.response_id, at + len(messages)
        elif event.type in _SPOKEN and event.type != "tool_results":
            self._calls = None, 0

    def _sent(self, node: _Node) -> list[Standing]:
        """Return the messages that stand for one, and remember what was said by each key."""
        keys = frozenset(filter(None, (node.key, node.event.message_id)))
        if node.link.sent is None:
            return [self._tell(Standing(node.event, keys))]
        messages: list[Standing] = []
        for piece in node.link.pieces:
            again = piece if isinstance(piece, Again) else Again(None, [piece])
            if again.key is not None and not again.drafts:
                messages += self._told.get(again.key, ())
            own = keys if again.key is None else frozenset({again.key})
            for draft in again.drafts:
                made = event_of(node.event, draft, len(messages))
                messages += [] if made is None else [self._tell(Standing(made, own))]
        return messages

    def _tell(self, message: Standing) -> Standing:
        if message.event.type in _SPOKEN:
            for key in message.keys:
                self._told.setdefault(key, []).append(message)
        return message

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
        there = {standing.version for standing in kept} if change.is_summed_up else None
        self._missing = [
            (version, what)
            for version, what in self._missing
            if version not in self._left and (there is None or version in there)
        ]
        self._standing, self._calls = kept, (None, 0)

    def _drop(self, event: Event, at: Event, cause: Cause) -> None:
        if event.type in _SPOKEN:
            self._dropped.append(Dropped(event.version, at.version, cause))

    def _note_unsummed(self) -> None:
        if self._unsummed is not None:
            what = f"the summary of the compaction at version {self._unsummed}"
            self._missing.append((self._unsummed, what))
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
