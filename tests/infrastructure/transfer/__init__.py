"""Tests of histories in and out of files."""
