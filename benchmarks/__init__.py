"""How fast agentlog is, beside a floor (PostgreSQL itself) and a peer (the eventsourcing library).

figures     samples, their median and spread, cases
table       figures as markdown and JSON
workload    what is measured with: the real histories, or generated ones
databases   a database of its own for each measurement
service     `agentlog serve` in a process of its own, and a client that keeps its connection
floor       PostgreSQL with nothing around it
peer        the recorder of the eventsourcing library
imports, views, appends, long_threads    how long things take
load, bulk, spans, growth, peers         how many a second, and how much on disk
rates, callers, http_load                what these are measured with
peers_program                            runs in the peers' own environment
big_log     a big log, and what is measured on it: analytics, the reports over it
machine     where it ran
"""
