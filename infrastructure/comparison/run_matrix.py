"""Compares many runs as a matrix: a row a run, a column a step of their alignment."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from agentlog.domain.json.answers import answer
from agentlog.domain.json.values import integer_at
from agentlog.infrastructure.comparison.runs import Run, Tally, run_of, runs_at, steps_of, tally
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.views.views import Views
from agentlog.projections.comparison.comparison import ComparedHistory
from agentlog.projections.comparison.matrix import Column, columns, separation, variants
from agentlog.projections.comparison.rows import Glimpse, glimpse
from agentlog.projections.comparison.steps import ItemDigest, Which
from agentlog.projections.filters.expression import Expression
from agentlog.projections.outcomes.words import WORDS, Word, word_of
from agentlog.projections.registry import choose_view

MOST_RUNS = 200
"""Runs of a matrix: of those that a filter finds, the most recently changed."""

MOST_STEPS = 300
"""Steps of a run that are aligned, its first."""

MOST_COLUMNS = 1000
"""Columns that are shown, the first."""

MOST_VARIANTS = 8
"""Ways of a column that are shown, those of most runs."""

_ORDER = {"failed": 0, "succeeded": 1, "unknown": 2}


@dataclass(frozen=True, slots=True)
class MatrixAsked:
    """Which runs: those of a filter, or these threads. `failed` as for the runs of tasks."""

    threads: ThreadFilter | Sequence[str]
    failed: Expression | None = None
    which: Which = "calls"


@answer
@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A step of a run: its column, its version, and by number which of the column's ways it is.

    `word` says what is known of a failure there: failed, told or suspected; null for none.
    """

    column: int
    version: int
    variant: int
    word: Word | None


@answer
@dataclass(frozen=True, slots=True)
class MatrixRow(Run):
    """A run; `steps` is how many it has, of which the first 300 are aligned in `cells`."""

    steps: int
    cells: Sequence[MatrixCell]


@answer
@dataclass(frozen=True, slots=True)
class MatrixVariant(Tally):
    """Runs that say the same in a column, and what."""

    did: Glimpse


@answer
@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """Steps of one kind: the ways of most runs, of `variantCount`, and how many have none here.

    `separation` says how far the failed and the succeeded part here, from 0 to 1: the greatest
    difference of their shares in one way. It is null where there are not both.
    """

    type: str
    tools: Sequence[str]
    variants: Sequence[MatrixVariant]
    variant_count: int
    absent: Tally
    separation: float | None


@answer
@dataclass(frozen=True, slots=True)
class RunMatrix:
    """Runs, the failed first, and the columns of their alignment, the first of `columnCount`."""

    as_of: int
    rows: Sequence[MatrixRow]
    columns: Sequence[MatrixColumn]
    column_count: int
    cut: bool


def run_matrix(views: Views, asked: MatrixAsked) -> RunMatrix:
    """Compare runs by their calls, or all that they say.

    Raises:
        UnknownThread: a thread that is asked for is not there.
    """
    reader = views.reader
    as_of = reader.position()
    if isinstance(asked.threads, ThreadFilter):
        heads = reader.heads(asked.threads, before=None, limit=MOST_RUNS + 1)
    else:
        heads = [reader.head(thread_id) for thread_id in dict.fromkeys(asked.threads)]
    chosen, is_cut = runs_at(reader, heads, as_of, most=MOST_RUNS)
    endings = views.endings()
    matrix = _Matrix(views, asked.which)
    for head, version in sorted(chosen, key=lambda pair: pair[0].thread_id):
        matrix.add(head, run_of(head, version, endings, asked.failed))
    aligned = columns(matrix.histories)
    ways = [variants(column, matrix.histories) for column in aligned[:MOST_COLUMNS]]
    shown = [matrix.column(column, way) for column, way in zip(aligned, ways, strict=False)]
    return RunMatrix(as_of, matrix.rows(aligned, ways), shown, len(aligned), is_cut)


class _Matrix:
    """Runs as they are read: their steps, and of those that are new what they say."""

    def __init__(self, views: Views, which: Which) -> None:
        self._views = views
        self._which = which
        self._view = choose_view("kernel")
        self._runs: list[Run] = []
        self._counts: list[int] = []
        self._versions: list[list[int]] = []
        self._words: list[dict[int, Word]] = []
        self._glimpses: dict[ItemDigest, Glimpse] = {}
        self.histories: list[list[ItemDigest]] = []

    def add(self, head: Head, run: Run) -> None:
        """Read a run, by the head of its thread."""
        steps = steps_of(self._views, run, self._view, self._which)
        history: list[ItemDigest] = []
        versions: list[int] = []
        for item, step in islice(steps, MOST_STEPS):
            history.append(step)
            versions.append(item.version)
            if step not in self._glimpses:
                self._glimpses[step] = glimpse(self._view, ComparedHistory([item], [step]), 0)
        self._runs.append(run)
        self._counts.append(len(history) + sum(1 for _ in steps))
        self._versions.append(versions)
        self._words.append(_words_in(self._views, head, run.version))
        self.histories.append(history)

    def column(self, column: Column, ways: Sequence[Sequence[int]]) -> MatrixColumn:
        """Return a column as it is shown."""
        absent = [number for number in range(len(self._runs)) if number not in column.steps]
        groups = [
            [number for number, run in enumerate(self._runs) if run.verdict == verdict]
            for verdict in ("failed", "succeeded")
        ]
        columns = [
            MatrixVariant(
                *tally([self._runs[member] for member in way]),
                self._glimpses[self.histories[way[0]][column.steps[way[0]]]],
            )
            for way in ways[:MOST_VARIANTS]
        ]
        parted = separation([*ways, absent], groups[0], groups[1])
        without = Tally(*tally([self._runs[number] for number in absent]))
        return MatrixColumn(*column.kind, columns, len(ways), without, parted)

    def rows(
        self, aligned: Sequence[Column], ways: Sequence[Sequence[Sequence[int]]]
    ) -> list[MatrixRow]:
        """Return the rows in their order."""
        cells: list[list[MatrixCell]] = [[] for _ in self._runs]
        for place, (column, groups) in enumerate(zip(aligned, ways, strict=False)):
            for variant, members in enumerate(groups):
                for number in members:
                    version = self._versions[number][column.steps[number]]
                    word = self._words[number].get(version)
                    cells[number].append(MatrixCell(place, version, variant, word))
        rows = [
            MatrixRow(run.thread_id, run.version, run.end, run.verdict, count, row)
            for run, count, row in zip(self._runs, self._counts, cells, strict=True)
        ]
        return sorted(rows, key=_place)


def _place(row: MatrixRow) -> tuple[int, bool, list[tuple[int, int]], str]:
    did = [(cell.column, cell.variant) for cell in row.cells]
    return _ORDER[row.verdict], not did, did, row.thread_id


def _words_in(views: Views, head: Head, version: int) -> dict[int, Word]:
    """Return by version the words for calls, their results, and errors."""
    words: dict[int, Word] = {}
    for item in views.timeline(head, version):
        word = word_of(item)
        if word is None:
            continue
        for key in ("version", "endVersion"):
            place = integer_at(item, key)
            if place is not None:
                words[place] = min(words.get(place, word), word, key=WORDS.index)
    return words
