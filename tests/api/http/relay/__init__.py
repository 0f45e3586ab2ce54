"""Tests of what is passed on to another server."""
