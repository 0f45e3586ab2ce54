"""Tests of commands of threads."""
