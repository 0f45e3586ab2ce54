"""Readers of what tools that observe agents export: spans, runs, observations."""
