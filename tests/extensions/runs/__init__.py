"""Tests of `runs`."""
