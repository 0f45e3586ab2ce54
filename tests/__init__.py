"""Tests: they mirror the folders; names are sentences."""
