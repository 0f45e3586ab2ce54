"""Tests of `infrastructure`."""
