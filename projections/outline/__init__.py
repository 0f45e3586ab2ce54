"""The outline of a thread: a line a step, and which of its events belong together."""
