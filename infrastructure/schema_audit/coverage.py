"""What `agentlog verify` says of the rows of each table, and of which it says nothing."""

from collections.abc import Mapping

COVERED: Mapping[str, str] = {
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

NOT_COVERED: Mapping[str, str] = {
    "accesses": "recorded reads",
    "analysts": "logins of analysts",
    "definitions": "rules and saved filters",
    "deliveries": "deliveries",
    "imports": "imports",
    "keys": "API keys",
    "subscriptions": "subscriptions",
}
"""What stands in tables that are no part of the log."""


def not_covered() -> str:
    """Return the line that names what no verification covers."""
    named = ", ".join(f"{what} (agentlog.{table})" for table, what in NOT_COVERED.items())
    return f"not covered, as it is not in the log: {named}"
