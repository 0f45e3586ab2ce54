"""Tests of `infrastructure.matches`."""
