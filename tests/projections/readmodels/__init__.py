"""Tests of `projections.readmodels`."""
