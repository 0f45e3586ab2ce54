"""Tests of the adapter to the library eventsourcing."""
