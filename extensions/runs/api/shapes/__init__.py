"""Replays by engines, as JSON and as lines."""
