"""Recorded runs in tests of agents."""
