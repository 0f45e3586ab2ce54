"""Alignment of two histories by a longest common subsequence of their steps.

What both have in common at the beginning and at the end is taken off first. The rest is aligned
with the bit-parallel algorithm of Hyyrö (2004), which needs a bit for each pair of steps. Between
equal steps, steps of one kind are paired in the same way.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from rapidfuzz.distance import LCSseq

from agentlog.domain.errors import InvalidInput
from agentlog.projections.comparison.steps import ItemDigest

Op = Literal["equal", "changed", "only_a", "only_b"]
StepT = TypeVar("StepT", bound=str | tuple[object, ...])

MOST_PAIRS = 400_000_000
"""Pairs of steps to align: 20,000 against 20,000, in 50 MB and about 0.3 s."""


class TooFarApart(InvalidInput):
    """The histories differ over more steps than can be aligned."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(
            f"{a} and {b} items lie between the first difference and the last: more than "
            f"{MOST_PAIRS} pairs to align; compare earlier moments, as in a=THREAD@VERSION"
        )
        self.a, self.b = a, b


@dataclass(frozen=True, slots=True)
class Block:
    """A run of items; `changed` items are pairs of one kind. The other range of `only` is empty."""

    op: Op
    a: range
    b: range


def common_prefix(a: Sequence[object], b: Sequence[object]) -> int:
    """Return how many steps both have in common at the beginning."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((n for n, (x, y) in pairs if x != y), min(len(a), len(b)))


def align(a: Sequence[ItemDigest], b: Sequence[ItemDigest]) -> list[Block]:
    """Return the blocks that cover both histories, in order.

    Aligning in the other order gives the same blocks with the sides exchanged.

    Raises:
        TooFarApart: too many steps differ.
    """
    begin = common_prefix(a, b)
    end = common_prefix(a[begin:][::-1], b[begin:][::-1])
    last_a, last_b = len(a) - end, len(b) - end
    if (last_a - begin) * (last_b - begin) > MOST_PAIRS:
        raise TooFarApart(last_a - begin, last_b - begin)
    whole = [
        Block("equal", range(begin), range(begin)),
        *_align(range(begin, last_a), range(begin, last_b), a, b),
        Block("equal", range(last_a, len(a)), range(last_b, len(b))),
    ]
    return [block for block in whole if block.a or block.b]


def _align(
    span_a: range, span_b: range, a: Sequence[ItemDigest], b: Sequence[ItemDigest]
) -> Iterator[Block]:
    """Yield the blocks between two equal ends; the kinds decide between equal steps."""
    kinds_a, kinds_b = [step[:2] for step in a], [step[:2] for step in b]
    for is_equal, gap_a, gap_b in matched(span_a, span_b, a, b):
        if is_equal:
            yield Block("equal", gap_a, gap_b)
            continue
        for is_pair, run_a, run_b in matched(gap_a, gap_b, kinds_a, kinds_b):
            if is_pair:
                yield Block("changed", run_a, run_b)
                continue
            if run_a:
                yield Block("only_a", run_a, run_b[:0])
            if run_b:
                yield Block("only_b", run_a[len(run_a) :], run_b)


def matched(
    span_a: range, span_b: range, a: Sequence[StepT], b: Sequence[StepT]
) -> Iterator[tuple[bool, range, range]]:
    """Yield, in order, the runs that two spans have in common (True) and the gaps between them."""
    at_a = at_b = 0
    pairs = _common(a[span_a.start : span_a.stop], b[span_b.start : span_b.stop])
    pairs.append((len(span_a), len(span_b), 0))
    for begin_a, begin_b, size in pairs:
        if at_a < begin_a or at_b < begin_b:
            yield False, span_a[at_a:begin_a], span_b[at_b:begin_b]
        at_a, at_b = begin_a + size, begin_b + size
        if size:
            yield True, span_a[begin_a:at_a], span_b[begin_b:at_b]


def _common(a: Sequence[StepT], b: Sequence[StepT]) -> list[tuple[int, int, int]]:
    """Return the runs of a longest common subsequence: where each begins, and its length."""
    if list(b) < list(a):  # of several, the same one in either order of the sides
        return [(begin_a, begin_b, size) for begin_b, begin_a, size in _common(b, a)]
    return [
        (opcode.src_start, opcode.dest_start, opcode.src_end - opcode.src_start)
        for opcode in LCSseq.opcodes(a, b)
        if opcode.tag == "equal"
    ]


@dataclass(frozen=True, slots=True)
class Branch:
    """Histories that do the same after a parting; where `ended`, they do nothing more."""

    members: Sequence[int]
    ended: bool


@dataclass(frozen=True, slots=True)
class Parting:
    """Histories whose first `equal` steps are equal, and which differ in the next.

    The branches are in the order of their first members.
    """

    equal: int
    branches: Sequence[Branch]


def partings(histories: Sequence[Sequence[Hashable]]) -> list[Parting]:
    """Return all partings of these histories, the earliest first; none where all are equal."""
    parted: list[Parting] = []
    together = [(0, list(range(len(histories))))] if histories else []
    while together:
        begin, members = together.pop()
        equal = _equal_steps(histories, members, begin)
        if equal is None:
            continue
        ways: dict[Hashable, list[int]] = {}
        for member in members:
            history = histories[member]
            ways.setdefault(history[equal] if equal < len(history) else _ENDED, []).append(member)
        branches = [Branch(taken, way is _ENDED) for way, taken in ways.items()]
        parted.append(Parting(equal, branches))
        together += [(equal + 1, taken) for way, taken in ways.items() if way is not _ENDED]
    return sorted(parted, key=lambda parting: (parting.equal, parting.branches[0].members[0]))


_ENDED = object()


def _equal_steps(
    histories: Sequence[Sequence[Hashable]], members: Sequence[int], begin: int
) -> int | None:
    """Return how many first steps are equal, at least `begin`; None where the members are."""
    first = histories[members[0]]
    rest = [histories[member] for member in members[1:]]
    if all(step == first for step in rest):
        return None
    return begin + min(common_prefix(first[begin:], step[begin:]) for step in rest)
