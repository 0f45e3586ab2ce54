"""Cases over a whole log: projections, reports, Parquet, and a log beyond memory."""
