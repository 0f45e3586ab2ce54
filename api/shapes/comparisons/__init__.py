"""Comparisons of threads, runs, values and decisions."""
