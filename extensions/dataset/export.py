"""Export of a dataset: read models as of one moment, and the events up to it."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from agentlog.extensions.dataset.erased import renew_events, stale_tables
from agentlog.extensions.dataset.errors import ForeignDataset
from agentlog.extensions.dataset.events import EventsExport
from agentlog.extensions.dataset.marks import first_event, last_event
from agentlog.extensions.dataset.places.opening import open_place
from agentlog.extensions.dataset.places.place import Place
from agentlog.extensions.dataset.schema import EVENTS
from agentlog.extensions.dataset.tables import write_tables
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.log_position import log_position
from agentlog.infrastructure.readmodels.catch_up import Progress, bring_up
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
                        database, projection_status, names, position=position, progress=progress
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
