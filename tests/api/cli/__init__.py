"""Tests of `api.cli`."""
