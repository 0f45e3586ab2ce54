"""Reports over the read models: usage, tools, models, approvals, workers, threads, anomalies.

`catalogue` has a file for each report, `report` reads it; `sources` are what reports count.
`question` holds the options of one query, `query` builds its statement, `reports` runs it;
`threads_of_rows` is the statement that lists the threads of a row.
`summaries` lists threads with their counts and sums. Both read `live_tables`.
"""
