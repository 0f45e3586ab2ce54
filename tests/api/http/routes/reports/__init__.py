"""Tests of routes of figures."""
