"""Outlines of threads: their steps, and the steps as lines of text."""
