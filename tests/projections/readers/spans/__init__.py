"""Tests of `projections.readers.spans`."""
