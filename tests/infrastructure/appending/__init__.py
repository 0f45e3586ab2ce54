"""Tests of appending."""
