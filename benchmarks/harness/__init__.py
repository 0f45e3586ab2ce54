"""What cases measure with.

figures     samples, their median and spread, cases
table       figures as markdown and JSON
rates       how many a second, in runs that are taken in turn
callers     callers in threads
workload    what is measured with: the real histories, or generated ones
big_log     a big log, made quickly
databases   a database of its own for each measurement
service     `agentlog serve` in a process of its own, and a client that keeps its connection
folded      waiting until a service has snapshots
floor       PostgreSQL with nothing around it
peer        the recorder of the eventsourcing library
machine     where it ran
"""
