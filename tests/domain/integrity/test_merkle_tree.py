"""The Merkle tree of RFC 9162: the known hashes, every proof of small trees, every flipped bit."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.integrity.merkle_tree import (
    EMPTY_ROOT,
    Frontier,
    consistency_path,
    inclusion_path,
    is_consistent,
    is_included,
    leaf_hash,
    node_hash,
    root_of,
    split_of,
)

# of certificate-transparency-go and its kin: the eight leaves, and the root of the first n of them
KNOWN_LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
KNOWN_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
SIZES = range(41)
HASHES = [leaf_hash(b"%d" % number) for number in SIZES]


def _root(hashes: Sequence[bytes]) -> bytes:
    """The definition of 2.1.1, as it is written."""
    if not hashes:
        return EMPTY_ROOT
    if len(hashes) == 1:
        return hashes[0]
    split = split_of(len(hashes))
    return node_hash(_root(hashes[:split]), _root(hashes[split:]))


ROOTS = [_root(HASHES[:size]) for size in SIZES]


def _subtree(begin: int, end: int) -> bytes:
    return _root(HASHES[begin:end])


def _flipped(content: bytes, bit: int) -> bytes:
    return (int.from_bytes(content) ^ 1 << bit).to_bytes(len(content))


def test_the_known_trees_have_their_known_roots() -> None:
    hashes = [leaf_hash(leaf) for leaf in KNOWN_LEAVES]
    roots = [root_of(hashes[:size]).hex() for size in range(9)]
    assert roots == KNOWN_ROOTS
    assert EMPTY_ROOT.hex() == KNOWN_ROOTS[0]


def test_a_frontier_has_the_root_of_the_definition_at_each_size() -> None:
    frontier = Frontier()
    for size in SIZES:
        assert (frontier.size, frontier.root()) == (size, ROOTS[size])
        frontier.add(HASHES[size])


def test_complete_subtrees_stand_for_their_leaves() -> None:
    tiles = [root_of(HASHES[at : at + 4]) for at in range(0, 40, 4)]
    assert root_of(tiles) == ROOTS[40]
    assert root_of(tiles[:7]) == ROOTS[28]


def test_every_leaf_of_every_tree_is_proved_and_in_no_other_place() -> None:
    for size in SIZES[1:]:
        for index in range(size):
            path = inclusion_path(index, size, _subtree)
            shown: dict[str, Any] = {"size": size, "path": path, "root": ROOTS[size]}
            assert is_included(HASHES[index], index=index, **shown)
            for other in range(size):
                if other != index:
                    assert not is_included(HASHES[other], index=index, **shown)
                    assert not is_included(HASHES[index], index=other, **shown)


def test_every_tree_is_proved_to_begin_with_every_smaller_one() -> None:
    for second in SIZES:
        for first in range(second + 1):
            path = consistency_path(first, second, _subtree)
            roots = {"first_root": ROOTS[first], "second_root": ROOTS[second]}
            assert is_consistent(first, second, path=path, **roots)
            assert not is_consistent(
                first, second, path=path, first_root=ROOTS[second], second_root=bytes(32)
            )
            for cut in (path[1:], path[:-1], [*path, bytes(32)]):
                if cut != path:
                    assert not is_consistent(first, second, path=cut, **roots)


def test_a_proof_too_short_or_too_long_shows_nothing() -> None:
    for size in SIZES[1:]:
        for index in range(size):
            path = inclusion_path(index, size, _subtree)
            for cut in (path[1:], path[:-1], [*path, bytes(32)]):
                if cut != path:
                    assert not is_included(
                        HASHES[index], index=index, size=size, path=cut, root=ROOTS[size]
                    )


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_a_place_beyond_the_tree_is_in_it_never(index: int, size: int) -> None:
    assert not is_included(HASHES[0], index=index, size=size, path=[], root=HASHES[0])


def test_a_tree_does_not_begin_with_a_larger_one() -> None:
    assert not is_consistent(3, 2, path=[], first_root=ROOTS[3], second_root=ROOTS[2])
    assert not is_consistent(0, 2, path=[], first_root=ROOTS[1], second_root=ROOTS[2])


@given(st.integers(1, 40), st.data())
def test_any_flipped_bit_ends_a_proof_of_inclusion(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    path = inclusion_path(index, size, _subtree)
    parts = [HASHES[index], ROOTS[size], *path]
    which = data.draw(st.integers(0, len(parts) - 1))
    parts[which] = _flipped(parts[which], data.draw(st.integers(0, 255)))
    assert not is_included(parts[0], index=index, size=size, path=parts[2:], root=parts[1])


@given(st.integers(2, 40), st.data())
def test_any_flipped_bit_ends_a_proof_of_consistency(second: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, second - 1))
    parts = [ROOTS[first], ROOTS[second], *consistency_path(first, second, _subtree)]
    which = data.draw(st.integers(0, len(parts) - 1))
    parts[which] = _flipped(parts[which], data.draw(st.integers(0, 255)))
    assert not is_consistent(
        first, second, path=parts[2:], first_root=parts[0], second_root=parts[1]
    )


def test_another_history_is_not_consistent_whatever_its_proof() -> None:
    others = [leaf_hash(b"x"), *HASHES[1:]]
    for first, second in pairwise(SIZES[1:]):
        path = consistency_path(first, second, lambda begin, end: _root(others[begin:end]))
        assert not is_consistent(
            first,
            second,
            path=path,
            first_root=ROOTS[first],
            second_root=_root(others[:second]),
        )
