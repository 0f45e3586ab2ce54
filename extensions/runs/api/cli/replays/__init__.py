"""Commands that run agents, or their engines, again from the log."""
