"""Each table is covered by the audit, or named in its result as not covered."""

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.schema_audit.coverage import COVERED, NOT_COVERED, not_covered
from tests.infrastructure.appends import fetch


def test_each_table_is_covered_or_named_as_not_covered(database: Database) -> None:
    tables = fetch(database, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'agentlog'")
    assert {table for (table,) in tables} == COVERED.keys() | NOT_COVERED.keys()
    assert not COVERED.keys() & NOT_COVERED.keys()
    assert all(f"agentlog.{table}" in not_covered() for table in NOT_COVERED)
