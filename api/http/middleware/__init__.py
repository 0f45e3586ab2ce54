"""Middleware: request ids, authentication, permissions, limits, metrics, traces."""
