"""What models were given in a thread: each context as a path of turns in one tree.

A context is the turns of user and assistant before an answer. A node is named by a digest of its
path. System prompts and results are no part of it: prompts change with each call, and results come
in any order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice

ROOT = ""

_MOST_TIPS = 16
"""Paths that a context is compared with: the latest that end with one of its turns."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Turns `begin` to `end` of a context that end another one."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class ContextEnd:
    """The node at which a context ends, and whether it was asked before, in another trace."""

    node: str
    is_asked_again: bool = False


@dataclass(slots=True)
class Contexts:
    """The tree of a thread: for each node the one before it, and the digest of its turn."""

    _nodes: dict[str, tuple[str, str]] = field(default_factory=dict)
    _forked: set[str] = field(default_factory=set)
    _tips: dict[str, dict[str, int]] = field(default_factory=dict)
    """The nodes that no turn follows, with their numbers, by their digests."""
    last: str = ROOT
    asked: set[str] = field(default_factory=set)
    """The nodes at which the context of a model call ended."""
    digests: set[str] = field(default_factory=set)
    """Those of all turns."""

    def __contains__(self, node: str) -> bool:
        """Return whether a node is there."""
        return node in self._nodes

    def __len__(self) -> int:
        """Return how many nodes there are."""
        return len(self._nodes) + len(self.asked)

    def add(self, before: str, digest: str) -> str:
        """Add a turn after a node; return the new node."""
        node = node_of(before, digest)
        if node not in self._nodes:
            self._nodes[node] = (before, digest)
            self.digests.add(digest)
            self._forked.add(before)
            self._tips.get(self._nodes.get(before, (ROOT, ROOT))[1], {}).pop(before, None)
            if node not in self._forked:
                self._tips.setdefault(digest, {})[node] = len(self._nodes)
        self.last = node
        return node

    def known(self, digests: Sequence[str]) -> int:
        """Return how many turns of a context, from its beginning, are there."""
        node = ROOT
        for n, digest in enumerate(digests):
            node = node_of(node, digest)
            if node not in self._nodes:
                return n
        return len(digests)

    def goes_on(self, node: str) -> bool:
        """Return whether another turn follows a node."""
        return node in self._forked

    def overlap(self, digests: Sequence[str]) -> Overlap | None:
        """Return the longest run of turns that ends one of the tree's own paths, the last if two.

        This finds what is left of a context whose beginning was cut off or summarised.
        """
        overlap: Overlap | None = None
        for tip in self._tips_at(digests):
            path = list(islice(self._path(tip), len(digests)))
            lengths = _common(path, digests[::-1])[::-1]
            least = 1 if overlap is None else overlap.end - overlap.begin
            ends = range(len(digests), 0, -1)
            end = next((end for end in ends if lengths[end - 1] >= least), None)
            if end is not None:
                overlap = Overlap(end - lengths[end - 1], end)
        return overlap

    def _tips_at(self, digests: Sequence[str]) -> list[str]:
        """Return the latest tips that are one of these turns, the last one last."""
        tips = [
            (number, node)
            for digest in set(digests)
            for node, number in islice(reversed(self._tips.get(digest, {}).items()), _MOST_TIPS)
        ]
        return [node for _, node in sorted(tips)[-_MOST_TIPS:]]

    def _path(self, node: str) -> Iterator[str]:
        """Yield the digests of a node and those before it, the last turn first."""
        while node in self._nodes:
            node, digest = self._nodes[node]
            yield digest


def node_of(before: str, digest: str) -> str:
    """Return the name of the node for a turn after another node."""
    return sha256(f"{before} {digest}".encode()).hexdigest()[:16]


def path_of(digests: Sequence[str], *, begin: str = ROOT) -> list[str]:
    """Return the nodes of a context, the one that it begins at first."""
    nodes = [begin]
    for digest in digests:
        nodes.append(node_of(nodes[-1], digest))
    return nodes


def _common(pattern: Sequence[str], text: Sequence[str]) -> list[int]:
    """Return for each place of a text how much of a pattern stands there.

    Linear, by the Z algorithm (Gusfield, Algorithms on Strings, 1997, section 1.3).
    """
    joined = [*pattern, None, *text]
    lengths = [0] * len(joined)
    begin = end = 0
    for at in range(1, len(joined)):
        length = min(lengths[at - begin], end - at) if at < end else 0
        while at + length < len(joined) and joined[length] == joined[at + length]:
            length += 1
        lengths[at] = length
        if at + length > end:
            begin, end = at, at + length
    return lengths[len(pattern) + 1 :]
