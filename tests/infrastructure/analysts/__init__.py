"""Tests of SQL for analysts: what it answers, and everything that it must not let through."""
