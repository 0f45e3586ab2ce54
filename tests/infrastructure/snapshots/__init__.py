"""Snapshots of views."""
