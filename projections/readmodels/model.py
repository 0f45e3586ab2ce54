"""Interface of read models: a fold of events into the rows of their thread."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Generic, TypeVar

from agentlog.domain.events import Event
from agentlog.projections.readmodels.table import Row, Table

RowT = TypeVar("RowT", bound=Row)

BEGINNING = 256
"""Bytes of a long text by which most read models know it."""


class ThreadRows(Generic[RowT]):
    """Rows of one thread that were open, and the changes that a batch of events made.

    `open` has them in order of arrival, and those that `add` added. `known` has rows of all of the
    tenant's threads by their identity, which the batch names. `memory` is what the fold keeps
    between events of the batch.
    """

    __slots__ = ("added", "changed", "known", "memory", "open", "tenant", "thread_id")

    def __init__(
        self,
        tenant: str,
        thread_id: str,
        rows: Iterable[RowT] = (),
        known: dict[str, list[RowT]] | None = None,
    ) -> None:
        self.tenant = tenant
        self.thread_id = thread_id
        self.open = list(rows)
        self.known: dict[str, list[RowT]] = {} if known is None else known
        self.added: list[RowT] = []
        self.changed: dict[int, RowT] = {}
        self.memory: Any = None

    def add(self, row: RowT) -> None:
        """Add a row."""
        self.added.append(row)
        if row.is_open:
            self.open.append(row)

    def change(self, row: RowT) -> None:
        """Mark a row as changed."""
        self.changed[id(row)] = row

    def only(self, event: Event, make: Callable[..., RowT]) -> RowT:
        """Return the one row of the thread, which its first event makes, marked as changed."""
        if self.open:
            row = self.open[0]
            self.change(row)
            return row
        row = self.open_row(event, make)
        self.add(row)
        return row

    def open_row(self, event: Event, make: Callable[..., RowT], **columns: object) -> RowT:
        """Return a row of an event, open and not yet added; `columns`: what else it has."""
        return make(
            tenant=self.tenant,
            thread_id=self.thread_id,
            is_open=True,
            version=event.version,
            position=event.position or 0,
            recorded_at=event.recorded_at,
            **columns,
        )


class ReadModel(ABC, Generic[RowT]):
    """A read model: its table, and the fold of events into rows.

    The fold receives every event of its types, thread by thread in log order, and depends on
    nothing else: rebuilding the table gives the same rows.
    """

    version: ClassVar[int] = 3
    """Raise it when the table or the meaning of its rows changes: this rebuilds the table."""

    types: ClassVar[frozenset[str] | None] = None
    """Types of events that it reads; None for all."""

    recalls: ClassVar[frozenset[str] | None] = frozenset()
    """Types of events that change rows of earlier events; None for all."""

    long_text_bytes: ClassVar[int] = 0
    """How many bytes it reads of each text that is stored as a content, 1 MiB at most."""

    begins_late: ClassVar[bool] = False
    """Whether a build may leave out the oldest events: each row is of one, and readers say so."""

    table: ClassVar[Table]

    def identity_of(self, event: Event) -> str | None:
        """Return the identity whose rows an event may change, in whatever thread; None for none."""
        del event
        return None

    @property
    def name(self) -> str:
        """Its name, in the registry and everywhere else."""
        return self.table.name

    @abstractmethod
    def fold(self, event: Event, rows: ThreadRows[RowT]) -> None:
        """Apply an event to the rows of its thread.

        Accepts any event; its message is None where the catalogue cannot read it.
        """

    def finish(self, rows: ThreadRows[RowT]) -> None:
        """Write the memory of a batch, if there is any, into its rows."""
        del rows
