"""Readers of the wires that have a view of the same name."""
