"""Reports over the read models: usage, tools, models, approvals, workers, threads, anomalies.

`report` says what a report is, `catalogue` which there are; `question` is what one is asked,
`query` the statement that this comes to, `reports` runs it. Each report's own SQL stands beside it
under its name.
"""
