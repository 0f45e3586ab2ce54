"""Manifest of a dataset: every file, and the position of each table."""

from datetime import date

from pydantic import BaseModel, ConfigDict

from agentlog.infrastructure.dataset.schema import EVENTS

FORMAT = 1
NAME = "_agentlog.json"
NO_DAY = "__HIVE_DEFAULT_PARTITION__"
"""Hive's partition name for rows without a day."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Mark(_Frozen):
    """An event that identifies a log: its position, and its link of the hash chain in hex."""

    position: int
    chain: str


class EventsFile(_Frozen):
    """A file of events: the days' rows from position `first` to `last`."""

    day: str
    first: int
    last: int
    rows: int
    bytes: int

    @property
    def path(self) -> str:
        """Its path in the dataset."""
        # padded, so that names sort as positions do
        return f"{EVENTS}/day={self.day}/{self.first:012d}-{self.last:012d}.parquet"


class DayFile(_Frozen):
    """A file of a read model's rows of one day.

    `open` rows among them may still change: `digest` tells whether they did.
    """

    rows: int
    open: int
    digest: str
    bytes: int


class TableFiles(_Frozen):
    """A read model's files by day, as of a position, from one build of its table."""

    version: int
    build: int
    position: int
    erasures: int = 0
    """The number of the last erasure applied to its rows."""
    days: dict[str, DayFile]


class DatasetManifest(_Frozen):
    """The contents of a dataset; `position` is that of the events."""

    format: int = FORMAT
    tenant: str
    first: Mark | None = None
    """The tenant's first event in the log."""
    last: Mark | None = None
    """The last event that any table of the dataset covers."""
    position: int = 0
    erasures: int = 0
    """The number of the last erasure applied to its events."""
    events: list[EventsFile] = []
    tables: dict[str, TableFiles] = {}

    def files(self) -> dict[str, int]:
        """Return the path and the bytes of each file."""
        sizes = {file.path: file.bytes for file in self.events}
        for name, table in self.tables.items():
            sizes |= {rows_path(name, day): file.bytes for day, file in table.days.items()}
        return sizes


def rows_path(name: str, day: str) -> str:
    """Return the path of a read model's rows of a day in the dataset."""
    return f"{name}/day={day}/rows.parquet"


def day_text(day: date | None) -> str:
    """Return a partition's name for a day."""
    return NO_DAY if day is None else day.isoformat()
