"""Tests of the comparison of the schema with what migrations and builds make."""
