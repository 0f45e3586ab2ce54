"""Tests of `api.http`."""
