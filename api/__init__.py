"""Adapters for HTTP and the command line, and the composition root."""
