"""Filters as text: one grammar for lists of threads, within a thread, and for search."""
