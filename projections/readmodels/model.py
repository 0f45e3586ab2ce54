"""What fills a table: a fold of events into the rows of their thread."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from domain.events import Event
from projections.readmodels.table import Row, Table

RowT = TypeVar("RowT", bound=Row)


class ThreadRows(Generic[RowT]):
    """The rows of one thread that are open, and what a batch of events did to its rows.

    `open` has them in the order in which they came.
    """

    __slots__ = ("added", "changed", "open", "tenant", "thread_id")

    def __init__(self, tenant: str, thread_id: str, found: Iterable[RowT] = ()) -> None:
        self.tenant = tenant
        self.thread_id = thread_id
        self.open = list(found)
        self.added: list[RowT] = []
        self.changed: dict[int, RowT] = {}

    def add(self, row: RowT) -> None:
        """Add a row."""
        self.added.append(row)
        if row.is_open:
            self.open.append(row)

    def change(self, row: RowT) -> None:
        """Say that an open row was changed; one that is open no more is not found again."""
        self.changed[id(row)] = row
        if not row.is_open:
            self.open = [each for each in self.open if each is not row]


class ReadModel(ABC, Generic[RowT]):
    """A table's name, its rows, and how they come from events.

    The fold is given every event of the types it names, thread by thread in the order of the log,
    and depends on nothing else: so a table that is made anew has the same rows.
    """

    version: ClassVar[int] = 2
    """To be raised when the table or the meaning of its rows changes: it is made anew then."""

    types: ClassVar[frozenset[str] | None] = None
    """The types of events that it is about; None for all."""

    recalls: ClassVar[frozenset[str] | None] = frozenset()
    """The types of events that change rows of events before them; None for all."""

    reads_long_texts: ClassVar[bool] = False
    """Whether it looks at how long texts begin; else a text that was cut out of a body is empty.

    No more than the beginning is there to see of them: see `infrastructure.readmodels.batch`.
    """

    table: ClassVar[Table]

    @property
    def name(self) -> str:
        """What it is called everywhere."""
        return self.table.name

    @abstractmethod
    def fold(self, event: Event, rows: ThreadRows[RowT]) -> None:
        """Work an event into the rows of its thread.

        What the event holds may be odd, and its message None where the catalogue cannot read it.
        """
