"""Reports over the read models: usage, tools, models, approvals, workers, threads, anomalies.

`report` defines a report, `catalogue` lists them; `question` holds the options of one query,
`query` builds its statement, `reports` runs it. Each report's own SQL is a file of its name.
`summaries` lists threads with their counts and sums. Both read `live_tables`.
"""
