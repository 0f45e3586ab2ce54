"""Exchanges with model providers on their way into the log."""
