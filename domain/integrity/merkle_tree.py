"""Merkle tree of RFC 9162 (section 2.1): hashes, both proofs and their verification.

`Subtree` reads the hash of a range of leaves: a proof needs a few ranges, never all leaves.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

EMPTY_ROOT = sha256(b"").digest()
"""The root of a tree without leaves."""

Subtree = Callable[[int, int], bytes]
"""Returns the tree hash of the leaves from one index (from 0) to before another."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the parent of two nodes."""
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """An append-only tree that keeps only the roots of its complete subtrees."""

    def __init__(self) -> None:
        self.size = 0
        self._complete: list[bytes] = []  # largest first

    def add(self, hashed: bytes) -> None:
        """Add a leaf hash, or a complete subtree where all have one size."""
        size = self.size
        while size & 1:
            hashed = node_hash(self._complete.pop(), hashed)
            size >>= 1
        self._complete.append(hashed)
        self.size += 1

    def root(self) -> bytes:
        """Return the current root."""
        if not self._complete:
            return EMPTY_ROOT
        root = self._complete[-1]
        for subtree in reversed(self._complete[:-1]):
            root = node_hash(subtree, root)
        return root


def root_of(hashes: Iterable[bytes]) -> bytes:
    """Return the root over leaf hashes, or over complete subtrees of one size."""
    frontier = Frontier()
    for hashed in hashes:
        frontier.add(hashed)
    return frontier.root()


def split_of(size: int) -> int:
    """Return the size of the left subtree of `size` leaves (two or more)."""
    return 1 << ((size - 1).bit_length() - 1)


def inclusion_path(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """Return the inclusion proof of a leaf in the tree of `size` leaves (2.1.3.1)."""
    path = []
    begin, end = 0, size
    while end - begin > 1:
        split = begin + split_of(end - begin)
        if index < split:
            path.append(subtree(split, end))
            end = split
        else:
            path.append(subtree(begin, split))
            begin = split
    return path[::-1]


def consistency_path(first: int, second: int, subtree: Subtree) -> list[bytes]:
    """Return the proof that the tree of `second` leaves begins with that of `first` (2.1.4.1).

    Empty where `first` is 0 or equals `second`.
    """
    if not first:
        return []
    path = []
    begin, end = 0, second
    while first != end:
        split = begin + split_of(end - begin)
        if first <= split:
            path.append(subtree(split, end))
            end = split
        else:
            path.append(subtree(begin, split))
            begin = split
    if begin:  # otherwise it is the root of the first tree, which the verifier has
        path.append(subtree(begin, end))
    return path[::-1]


def is_included(
    hashed: bytes, *, index: int, size: int, path: Sequence[bytes], root: bytes
) -> bool:
    """Return whether the proof shows that a leaf's hash is in the tree (2.1.3.2)."""
    if not 0 <= index < size:
        return False
    node, last = index, size - 1
    computed = hashed
    for sibling in path:
        if not last:
            return False
        if node & 1 or node == last:
            computed = node_hash(sibling, computed)
            node, last = _up_to_right(node, last)
        else:
            computed = node_hash(computed, sibling)
        node, last = node >> 1, last >> 1
    return not last and computed == root


def is_consistent(
    first: int, second: int, *, path: Sequence[bytes], first_root: bytes, second_root: bytes
) -> bool:
    """Return whether the proof shows that the second tree begins with the first (2.1.4.2)."""
    if not 0 <= first <= second:
        return False
    if first == second:
        return not path and first_root == second_root
    if not first:
        return not path and first_root == EMPTY_ROOT
    # a complete first tree is a node of the second, and is not repeated in the proof
    steps = [first_root, *path] if not first & (first - 1) else list(path)
    if not path or not steps:
        return False
    node, last = first - 1, second - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    old = new = steps[0]
    for sibling in steps[1:]:
        if not last:
            return False
        if node & 1 or node == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            node, last = _up_to_right(node, last)
        else:
            new = node_hash(new, sibling)
        node, last = node >> 1, last >> 1
    return not last and old == first_root and new == second_root


def _up_to_right(node: int, last: int) -> tuple[int, int]:
    """Return both shifted up until `place` is a right child, or 0."""
    while node and not node & 1:
        node, last = node >> 1, last >> 1
    return node, last
