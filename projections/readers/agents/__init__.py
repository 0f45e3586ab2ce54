"""Readers of files that agent programs write."""
