"""Tests of forks."""
