"""The event log: events and thread heads read from PostgreSQL, contents kept apart from events."""
