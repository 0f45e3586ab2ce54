"""Routes of figures: reports, summaries of threads, queries in SQL."""
