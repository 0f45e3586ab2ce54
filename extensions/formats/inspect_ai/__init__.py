"""Samples of inspect_ai logs: their messages and events."""
