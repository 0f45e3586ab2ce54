"""Views of threads: folded from the log, cached in memory, kept as snapshots."""
