"""Tests of tapes."""
