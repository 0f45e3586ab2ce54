"""A comparison of two histories, as rows: runs of equal items are folded, all others are shown."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from agentlog.projections.comparison.alignment import Block, Op, align
from agentlog.projections.comparison.steps import ItemDigest
from agentlog.projections.view import Printed


@dataclass(frozen=True, slots=True)
class ComparedHistory:
    """The items of one history that are compared, and their steps."""

    items: Sequence[Printed]
    steps: Sequence[ItemDigest]

    @classmethod
    def of(cls, steps: Iterable[tuple[Printed, ItemDigest]]) -> Self:
        """Return the history of these items."""
        pairs = list(steps)
        return cls([item for item, _ in pairs], [step for _, step in pairs])


@dataclass(frozen=True, slots=True)
class AlignedRow:
    """One item of a side or of both; or a run of equal ones, which is `folded`."""

    op: Op
    a: range
    b: range
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference: `equal` items before it, and the index of the next in each side.

    None is a side that has ended.
    """

    equal: int
    a: int | None
    b: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two histories and the blocks that align them."""

    a: ComparedHistory
    b: ComparedHistory
    blocks: Sequence[Block]

    @property
    def divergence(self) -> Divergence | None:
        """Where the sides first differ; None where they are equal."""
        first = self.blocks[0] if self.blocks else None
        equal = len(first.a) if first is not None and first.op == "equal" else 0
        ends = len(self.a.steps), len(self.b.steps)
        if ends == (equal, equal):
            return None
        a, b = (equal if equal < end else None for end in ends)
        return Divergence(equal, a, b)

    @property
    def counts(self) -> dict[Op, int]:
        """How many items are equal, changed, or only in one side; a pair counts once."""
        counted: dict[Op, int] = {"equal": 0, "changed": 0, "only_a": 0, "only_b": 0}
        for block in self.blocks:
            counted[block.op] += max(len(block.a), len(block.b))
        return counted

    def rows(self, *, context: int) -> Iterator[AlignedRow]:
        """Yield all rows, with `context` equal items before and after each difference."""
        last = len(self.blocks) - 1
        for number, block in enumerate(self.blocks):
            if block.op != "equal":
                yield from _each(block)
                continue
            before = context if number > 0 else 0
            after = context if number < last else 0
            yield from _fold_equal(block, before, after)


def compare(a: ComparedHistory, b: ComparedHistory) -> Comparison:
    """Return the comparison of two histories; raises `TooFarApart`."""
    return Comparison(a, b, align(a.steps, b.steps))


def _each(block: Block) -> Iterator[AlignedRow]:
    for n in range(max(len(block.a), len(block.b))):
        yield AlignedRow(block.op, block.a[n : n + 1], block.b[n : n + 1])


def _fold_equal(block: Block, first: int, last: int) -> Iterator[AlignedRow]:
    """Yield the first and the last rows of a block of equal items, and what is between as one."""
    begin, end = first, len(block.a) - last
    if begin >= end:
        yield from _each(block)
        return
    yield from _each(Block("equal", block.a[:begin], block.b[:begin]))
    yield AlignedRow("equal", block.a[begin:end], block.b[begin:end], folded=True)
    yield from _each(Block("equal", block.a[end:], block.b[end:]))
