"""Tests of `projections.readers.traces`."""
