"""Comparisons of threads: of two or more item by item, or of all runs of each task."""
