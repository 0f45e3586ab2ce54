"""Readers of what chat services give their users as an export of their data."""
