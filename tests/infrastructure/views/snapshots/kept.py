"""What tests of snapshots share: a thread that has some, and how they are looked at and spoilt."""

from agentlog.domain.json.text import print_bytes
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import State
from agentlog.infrastructure.views.snapshots.encoding import packed, unpacked
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.snapshots.table import Series, SnapshotRow, SnapshotTable
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import AnyView, choose_view
from agentlog.projections.view import Item, Printed
from tests.infrastructure.appends import TENANT, Clock, CountingReader, Ids, fetch, reply
from tests.infrastructure.precomputed import precompute

STATE = choose_view("agent-state", {"history": "false"})
WITH_HISTORY = choose_view("agent-state")
OPENAI = choose_view("openai")
KEY = b"key"
PLENTY = 1000.0
"""A share that lets every carry in."""


def views_on(
    database: Database,
    *,
    interval: int = 10,
    share: float = PLENTY,
    reader: LogReader | None = None,
    key: bytes = KEY,
) -> Views:
    """Return views whose snapshots stand at every tenth version, or at others."""
    snapshots = Snapshots(database, tenant=TENANT, key=key, interval=interval, share=share)
    return Views(reader or LogReader(database, tenant=TENANT), tenant=TENANT, snapshots=snapshots)


def threads_on(database: Database) -> Threads:
    """Return the threads of the tests' tenant."""
    return Threads(
        reader=LogReader(database, tenant=TENANT),
        writer=Writer(database, clock=Clock(), new_id=Ids()),
        blobs=Blobs(database, tenant=TENANT),
        tenant=TENANT,
    )


def filled(database: Database, threads: Threads | None = None) -> Views:
    """Return the views of a log with the thread `t` of 35 thoughts and turns."""
    drafts = [thought(n) if n % 3 == 0 else reply(f"said {n}") for n in range(35)]
    (threads or threads_on(database)).append("t", drafts)
    return views_on(database)


def keep(views: Views, view: AnyView = STATE) -> None:
    """Write the missing snapshots of `t` in a view."""
    precompute(views, "t", view)


def thought(number: int) -> Item:
    """Return a message that has nothing to do with others."""
    return {"type": "reasoning", "title": "", "summary": f"thought {number}"}


def state_of(views: Views, view: AnyView = STATE, at: int | None = None) -> bytes:
    """Return the state of `t`, printed."""
    result = views.view("t", view, at=None if at is None else AtVersion(at))
    assert isinstance(result, State)
    return print_bytes(result.state)


def versions_of(database: Database) -> list[int]:
    """Return at which versions there are rows."""
    return [
        row[0] for row in fetch(database, "SELECT version FROM agentlog.snapshots ORDER BY version")
    ]


def rows_of(database: Database) -> list[tuple[int, bytes | None, bytes | None, bytes | None]]:
    """Return version, carry, lists and items of each row."""
    query = "SELECT version, carry, grown, items FROM agentlog.snapshots ORDER BY version"
    return [(row[0], row[1], row[2], row[3]) for row in fetch(database, query)]


def change(database: Database, query: str, *parameters: object) -> int:
    """Have a statement change what it will; return how many rows it did."""
    with database.connection() as connection:
        return connection.execute(query.encode(), parameters).rowcount


def plant(database: Database, version: int, old: bytes, new: bytes) -> None:
    """Put other words into the carry of a snapshot, sealed as it was."""
    text = print_bytes(unpacked(held(database, version, "carry")))
    assert old in text
    put(database, version, "carry", packed(text.replace(old, new)))


def held(database: Database, version: int, column: str) -> bytes:
    """Return a content of a row without its seal."""
    query = f"SELECT {column} FROM agentlog.snapshots WHERE version = %s"  # noqa: S608
    ((content,),) = fetch(database, query, version)
    return bytes(content[32:])


def put(database: Database, version: int, column: str, content: bytes) -> None:
    """Put a content into a row, sealed by the key."""
    query = "SELECT tenant, thread_id, view, options, format FROM agentlog.snapshots"
    series = Series(*fetch(database, query)[0])
    query = "SELECT chain FROM agentlog.events WHERE thread_id = %s AND version = %s"
    ((chain,),) = fetch(database, query, series.thread_id, version)
    seal = SnapshotTable(database, KEY)._seal(
        series, SnapshotRow(version, chain=chain), column, content
    )
    query = f"UPDATE agentlog.snapshots SET {column} = %s WHERE version = %s"  # noqa: S608
    assert change(database, query, seal + content, version) == 1


def items_shown(views: Views, at: int | None = None) -> list[Printed]:
    """Return what the view `openai` shows of `t`."""
    view = views.view("t", OPENAI, at=None if at is None else AtVersion(at))
    assert not isinstance(view, State)
    return list(view.items)


def counted(database: Database) -> tuple[Views, CountingReader]:
    """Return views with snapshots at every fiftieth version, and what counts their reads."""
    reader = CountingReader(database, tenant=TENANT)
    return views_on(database, interval=50, reader=reader), reader


DAMAGES = {
    "gone": "DELETE FROM agentlog.snapshots WHERE version = %s",
    "carry garbage": "UPDATE agentlog.snapshots SET carry = "
    "set_byte(carry, length(carry) / 2, 255 - get_byte(carry, length(carry) / 2)) "
    "WHERE version = %s",
    "lists garbage": "UPDATE agentlog.snapshots SET grown = "
    "set_byte(grown, length(grown) / 2, 255 - get_byte(grown, length(grown) / 2)) "
    "WHERE version = %s",
    "carry empty": "UPDATE agentlog.snapshots SET carry = '' WHERE version = %s",
    "carry cut": "UPDATE agentlog.snapshots SET carry = substr(carry, 1, 20) WHERE version = %s",
    "lists not there": "UPDATE agentlog.snapshots SET grown = NULL WHERE version = %s",
    "sealed by another key": "UPDATE agentlog.snapshots SET "
    "carry = set_byte(carry, 0, 255 - get_byte(carry, 0)), "
    "grown = set_byte(grown, 0, 255 - get_byte(grown, 0)), "
    "items = set_byte(items, 0, 255 - get_byte(items, 0)) WHERE version = %s",
}


def sizes_of(database: Database, column: str) -> list[int]:
    """Return how many bytes a column has in each row."""
    index = {"carry": 0, "grown": 1}[column]
    return [len(row[1:][index] or b"") for row in rows_of(database)]
