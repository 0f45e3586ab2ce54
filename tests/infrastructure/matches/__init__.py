"""Tests of `infrastructure.search`."""
