"""The command line: all operations of the HTTP API. Heavy modules are imported on use."""

INTERRUPTED = 130
"""Exit code after Ctrl-C."""
