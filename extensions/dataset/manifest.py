"""Manifest of a dataset: every file, and the position of each table.

A position is that of the tenant's last event that the table covers, 0 without one. It is not the
log's, which other tenants raise, and which goes back with a backup.
"""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from agentlog.extensions.dataset.schema import EVENTS

FORMAT = 1
NAME = "_agentlog.json"
NO_DAY = "__HIVE_DEFAULT_PARTITION__"
"""Hive's partition name for rows without a day."""
ROWS = "rows"
"""The stem of the names of read models' files."""


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
    name: str = ""
    """Absent from manifests of 0.22 and before, which names by positions alone."""

    @property
    def path(self) -> str:
        """Its path in the dataset."""
        return f"{EVENTS}/day={self.day}/{self.name or f'{self.stem}.parquet'}"

    @property
    def stem(self) -> str:
        """The beginning of its name: padded, so that names sort as positions do."""
        return f"{self.first:012d}-{self.last:012d}"


class DayFile(_Frozen):
    """A file of a read model's rows of one day.

    `open` rows among them may still change: `digest` tells whether they did.
    """

    rows: int
    open: int
    digest: str
    bytes: int
    name: str = f"{ROWS}.parquet"
    """Absent from manifests of 0.22 and before."""


class TableFiles(_Frozen):
    """A read model's files by day, from one build of its table."""

    version: int
    build: int
    position: int
    redacted: int = 0
    """The position of a redaction: the rows lack what all up to it have erased."""
    erasures: int = Field(0, exclude=True)
    """In manifests of 0.23 and before: a number of erasures of one database, unused."""
    days: dict[str, DayFile]


class DatasetManifest(_Frozen):
    """The contents of a dataset; `position` is that of the events."""

    format: int = FORMAT
    tenant: str
    first: Mark | None = None
    """The tenant's first event in the log."""
    last: Mark | None = None
    """The last event that any table covers, or whose erasures were applied."""
    position: int = 0
    redacted: int = 0
    """The same of its events."""
    erasures: int = Field(0, exclude=True)
    events: list[EventsFile] = []
    tables: dict[str, TableFiles] = {}

    def files(self) -> dict[str, int]:
        """Return the path and the bytes of each file."""
        sizes = {file.path: file.bytes for file in self.events}
        for name, table in self.tables.items():
            sizes |= {rows_path(name, day, file): file.bytes for day, file in table.days.items()}
        return sizes

    def text(self) -> str:
        """Return it as its file says it."""
        return self.model_dump_json(indent=1)


def rows_path(table: str, day: str, file: DayFile) -> str:
    """Return the path of a read model's rows of a day in the dataset."""
    return f"{table}/day={day}/{file.name}"


def day_text(day: date | None) -> str:
    """Return a partition's name for a day."""
    return NO_DAY if day is None else day.isoformat()
