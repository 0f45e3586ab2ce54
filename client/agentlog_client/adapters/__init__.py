"""Adapters of frameworks, each imported only where it is used, and with an extra of its name."""
