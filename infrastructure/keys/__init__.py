"""API keys of the service's callers, and the record of accesses.

A key is made, looked up and revoked in PostgreSQL; look-ups are cached for a short time.
"""
