"""Which messages of a thread a filter matches."""
