"""The view `run-state`."""
