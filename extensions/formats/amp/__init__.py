"""Amp: its threads, and what they say of the context."""
