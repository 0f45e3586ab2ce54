"""Tests of integrity."""
