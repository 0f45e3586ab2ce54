"""Each table is covered by the audit, or named in its result as not covered."""

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.schema_audit.coverage import NOT_COVERED, not_covered
from tests.infrastructure.appends import fetch

COVERED = {
    "blobs": "by their digests in events",
    "checkpoints": "by their signatures and the tree",
    "counter": "by the positions of events",
    "erasures": "by the redactions in the log",
    "events": "by the chain",
    "ledger": "computed anew",
    "loose_blobs": "only says what may be deleted once no event refers to it",
    "migrations": "when the database is opened",
    "moves": "by their signatures",
    "projections": "with --derived",
    "snapshots": "with --derived",
    "thread_search": "with --derived",
    "threads": "computed anew",
    "tiles": "computed anew",
    "tracking": "with --derived",
}
"""How the rows of tables are held against the log."""


def test_each_table_is_covered_or_named_as_not_covered(database: Database) -> None:
    tables = fetch(database, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'agentlog'")
    assert {table for (table,) in tables} == COVERED.keys() | NOT_COVERED.keys()
    assert not COVERED.keys() & NOT_COVERED.keys()
    assert all(f"agentlog.{table}" in not_covered() for table in NOT_COVERED)
