"""Keys of the service's callers, and the record of who asked.

A key is made, looked up and revoked in PostgreSQL; what was looked up is remembered for a moment.
"""
