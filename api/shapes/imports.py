"""Imports, for HTTP and the command line."""

from typing import Literal

from typing_extensions import TypedDict

from agentlog.api.shapes.shape import Shape
from agentlog.domain.json.answers import Time


class Import(Shape):
    """An import on record; `grown` are threads that were there before, and that it appended to."""

    id: str
    at: Time
    ended_at: Time | None
    threads: int
    events: int
    grown: list[str]
    paths: list[str]


class Taken(TypedDict):
    """What came of undo or redo: how many threads it hid or showed, and which keep additions."""

    threads: int
    grown: list[str]


class DiscardedImport(TypedDict):
    """An import whose files and report are removed."""

    id: str


class UploadedFile(TypedDict):
    """How much of a file has come; `sha256` is that of what has."""

    path: str
    bytes: int
    sha256: str


class SentFile(TypedDict):
    """How much of a file has come."""

    path: str
    bytes: int


class RunProgress(Shape):
    """How far a run has come, in bytes of its files."""

    bytes: int
    total: int


class ReportFormat(TypedDict):
    """A format, and how many files were of it."""

    name: str
    title: str
    unit: str
    files: int


class ReportFinding(TypedDict):
    """A finding: its kind, its place, and what there is to say."""

    kind: Literal["aside", "anomaly", "masked", "mended", "refused", "passed over", "rewritten"]
    place: str
    reason: str


class RunReport(TypedDict):
    """The report of a run.

    `failure` says what ended it, null where it came to its end. `threads` counts threads, of which
    `threadIds` has the first 1,000; `appended` and `replayed` count events, `hidden` those of the
    threads that are hidden. `kept` counts items kept whole, by type, `counts` findings, by kind, of
    which `findings` has the first 1,000. `text` is the report as commands print it.
    """

    run: int
    dryRun: bool
    failure: str | None
    threads: int
    threadIds: list[str]
    appended: int
    replayed: int
    hidden: int
    formats: list[ReportFormat]
    kept: dict[str, int]
    counts: dict[str, int]
    findings: list[ReportFinding]
    text: str


class ImportUpload(Shape):
    """An import that comes in.

    `run` is the number of the run that waits or runs, else of the latest. `report` is that of the
    latest run that has ended. `suffixes` are how names in folders end that are read.
    """

    id: str
    paths: list[str]
    state: Literal["open", "waiting", "running"]
    run: int
    progress: RunProgress | None
    report: RunReport | None
    suffixes: list[str]
