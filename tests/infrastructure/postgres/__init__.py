"""Tests of PostgreSQL's connections, roles and migrations."""
