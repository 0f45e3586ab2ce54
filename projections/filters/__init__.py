"""Filters as text: one grammar for lists of threads and within a thread."""
