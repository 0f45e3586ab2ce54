"""Tests of `projections.readers`."""
