"""Tables of whose rows `agentlog verify` says nothing; a test holds that it covers all others."""

from collections.abc import Mapping

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
