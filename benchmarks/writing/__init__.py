"""Cases that write: one append at a time, many at once, imports, and what they cost an agent."""
