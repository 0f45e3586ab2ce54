"""Tests of read models in PostgreSQL."""
