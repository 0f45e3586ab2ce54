"""What models were given in a thread: each context as a path of turns in one tree.

A context is the turns of user and assistant before an answer. A node is named by a digest of its
path. System prompts and results are no part of it: prompts change with each call, and results come
in any order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

ROOT = ""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Turns `begin` to `end` of a context that end another one."""

    begin: int
    end: int


@dataclass(slots=True)
class Contexts:
    """The tree of a thread: for each node the one before it, and the digest of its turn."""

    _nodes: dict[str, tuple[str, str]] = field(default_factory=dict)
    _forked: set[str] = field(default_factory=set)
    last: str = ROOT

    def __contains__(self, node: str) -> bool:
        """Return whether a node is there."""
        return node in self._nodes

    def __bool__(self) -> bool:
        """Return whether there is any node."""
        return bool(self._nodes)

    def add(self, before: str, digest: str) -> str:
        """Add a turn after a node; return the new node."""
        node = node_of(before, digest)
        if node not in self._nodes:
            self._nodes[node] = (before, digest)
            self._forked.add(before)
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
        found: Overlap | None = None
        for tip in (node for node in self._nodes if node not in self._forked):
            path: list[str] = []
            node = tip
            while node in self._nodes and len(path) < len(digests):
                node, digest = self._nodes[node]
                path.append(digest)
            for end in range(len(digests), 0, -1):
                length = 0
                while length < min(end, len(path)) and path[length] == digests[end - 1 - length]:
                    length += 1
                if length and (found is None or length >= found.end - found.begin):
                    found = Overlap(end - length, end)
                    break
        return found


def node_of(before: str, digest: str) -> str:
    """Return the name of the node for a turn after another node."""
    return sha256(f"{before} {digest}".encode()).hexdigest()[:16]


def path_of(digests: Sequence[str], *, begin: str = ROOT) -> list[str]:
    """Return the nodes of a context, the one that it begins at first."""
    nodes = [begin]
    for digest in digests:
        nodes.append(node_of(nodes[-1], digest))
    return nodes
