"""Tests of JSON."""
