"""Export of a dataset: read models as of one moment, and the events up to it, in new files."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from agentlog.extensions.dataset.erased import renew_events, stale_tables
from agentlog.extensions.dataset.errors import ForeignDataset
from agentlog.extensions.dataset.event_pages import read_events
from agentlog.extensions.dataset.manifest import DatasetManifest, EventsFile, Mark
from agentlog.extensions.dataset.part import PartFile, ahead, first_event, last_event, later
from agentlog.extensions.dataset.places.opening import open_place
from agentlog.extensions.dataset.places.place import Place
from agentlog.extensions.dataset.schema import EVENTS, arrow_schema
from agentlog.extensions.dataset.tables import write_tables
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.log_position import log_position
from agentlog.infrastructure.readmodels.catch_up import Progress, bring_up
from agentlog.infrastructure.readmodels.counted_rows import with_beside
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS

TABLES = (EVENTS, *PUBLIC_READ_MODELS)
"""The tables that a dataset may hold."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export: new events, days of read models written, and the log's position."""

    events: int
    days: int
    position: int


def export_dataset(  # noqa: PLR0913 - one parameter a choice
    database: Database,
    projection_status: ProjectionStatus,
    where: str,
    *,
    tenant: str,
    tables: Sequence[str] = TABLES,
    grace_seconds: float = 60,
    progress: Progress = lambda *_: None,
) -> Exported:
    """Create or update a dataset; only `tables` are updated, the others stay as they are.

    It is in the folder, or bucket and prefix, that `where` names. Files in a bucket that the
    export replaces stay for `grace_seconds`, for readers that have read the manifest before.

    Contents erased from the log since the last export are erased from the whole dataset.

    Read models are as of one moment, and the events reach it, so that rows find their events.

    Raises:
        InvalidPlace: `where` is neither a folder nor a bucket.
        DatasetBusy: another export writes to the folder.
        DatasetOvertaken: another export wrote to the bucket meanwhile.
        ForeignDataset: the place holds something else, or the dataset of another log.
        UnwritableDataset: the place cannot be written.
        ProjectionBehind: a read model is paused, or stopped at an event.
        NewerReadModel: a read model was built by newer code.
    """
    with open_place(where, tenant=tenant, grace_seconds=grace_seconds) as place:
        _identify(database, place)
        place.clean()
        renew_events(database, place, progress=progress)
        # these too, whichever are requested
        stale = stale_tables(database, place)
        names = [name for name in PUBLIC_READ_MODELS if name in {*tables, *stale}]
        position, days = log_position(database), 0
        with closing(EventsExport(database, place, progress=progress)) as events:
            if EVENTS in tables:
                events.write(upto=position, checkpoints=True)
            manifest = place.manifest
            if names:
                written = write_tables(
                    database,
                    place,
                    names,
                    bring_up=lambda position: bring_up(
                        database,
                        projection_status,
                        with_beside(names),
                        position=position,
                        progress=progress,
                    ),
                    progress=progress,
                )
                position, days, manifest = written.position, written.days, written.manifest
            if EVENTS in tables:  # what the tables have beyond
                events.write(upto=position, checkpoints=False)
            place.publish(events.named(manifest))
        return Exported(events.rows, days, position)


def _identify(database: Database, place: Place) -> None:
    """Check that the dataset is of this log, by its first and its last event."""
    manifest = place.manifest
    with database.connection() as connection:
        first = first_event(connection, manifest.tenant)
        if manifest.first is not None and manifest.first != first:
            raise ForeignDataset(place.where, "holds the dataset of another log")
        last = manifest.last
        if last is not None and last != last_event(connection, manifest.tenant, upto=last.position):
            raise ForeignDataset(
                place.where,
                f"holds events up to position {last.position} that this log has not, as where it "
                "was restored from a backup",
            )
    if manifest.first is None and first is not None:
        place.publish(manifest.model_copy(update={"first": first}))


_FILE_ROWS = 2_000_000
_FILE_BYTES = 2**30
"""Most bytes of the values of a file, before they are encoded; approximate."""
_CHECKPOINT_ROWS = 1_000_000
"""New rows between two publications: the most that a killed export loses."""


class EventsExport:
    """Exports the events after the last of a dataset's files, up to a committed position."""

    def __init__(self, database: Database, place: Place, *, progress: Progress) -> None:
        self.rows = 0
        """How many were written."""
        self._database = database
        self._place = place
        self._progress = progress
        self._tenant = place.manifest.tenant
        self._schema = arrow_schema(EVENTS, tenant=self._tenant)
        self._part: PartFile | None = None
        self._day = ""
        # by the tenant's own events: the log's position may go back, or be another database's
        files = place.manifest.events
        self._begin = self._last = files[-1].last if files else 0
        self._first = 0
        self._mark: Mark | None = None
        self._finished: list[EventsFile] = []
        self._unpublished = 0

    def write(self, *, upto: int, checkpoints: bool) -> None:
        """Write the events up to a position; at `checkpoints`, publish them with all else added."""
        events = read_events(self._database, tenant=self._tenant, after=self._last, upto=upto)
        with closing(ahead(events)) as batches:
            for batch in batches:
                for day, piece in _days(batch):
                    self._write(day, piece)
                self.rows += batch.num_rows
                self._mark = _mark(batch)
                self._progress(EVENTS, self._last - self._begin, upto - self._begin)
                if checkpoints and self._unpublished >= _CHECKPOINT_ROWS:
                    self._place.publish(self.named(self._place.manifest))

    def named(self, manifest: DatasetManifest) -> DatasetManifest:
        """Return a manifest with all files that were written."""
        self._finish()
        finished, self._finished, self._unpublished = self._finished, [], 0
        return manifest.model_copy(
            update={
                "position": self._last,
                "events": [*manifest.events, *finished],
                "last": later(manifest.last, self._mark),
            }
        )

    def close(self) -> None:
        """Close a file that was not completed."""
        if self._part is not None:
            self._part.close()

    def _write(self, day: str, batch: pa.RecordBatch) -> None:
        part = self._part
        if part is not None and (
            day != self._day or part.rows >= _FILE_ROWS or part.bytes >= _FILE_BYTES
        ):
            self._finish()
        first, self._last = (int(batch["position"][place].as_py()) for place in (0, -1))
        if self._part is None:
            self._part = PartFile(self._place.partial(), self._schema)
            self._day, self._first = day, first
        self._part.write(batch)
        self._unpublished += batch.num_rows

    def _finish(self) -> None:
        """Complete the current file, for the next publication."""
        if self._part is None:
            return
        part, self._part = self._part, None
        with closing(part):
            size = part.finish()
            file = EventsFile(
                day=self._day, first=self._first, last=self._last, rows=part.rows, bytes=size
            )
            file = file.model_copy(update={"name": self._place.name(file.stem)})
            self._place.add(part.file, file.path)
        self._finished.append(file)


def _mark(batch: pa.RecordBatch) -> Mark:
    return Mark(position=batch["position"][-1].as_py(), chain=batch["chain"][-1].as_py().hex())


def _days(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yield the rows of each day in UTC; `recorded_at` ascends with the position."""
    runs = pc.run_end_encode(batch["recorded_at"].cast(pa.date32()))
    begin = 0
    for end, day in zip(runs.run_ends.to_pylist(), runs.values.to_pylist(), strict=True):
        yield day.isoformat(), batch.slice(begin, end - begin)
        begin = end
