"""Tests of what long-running processes need."""
