"""How fast agentlog is, beside a floor (PostgreSQL itself) and a peer (the eventsourcing library).

harness     what cases measure with: databases, services, figures, floor and peer
writing     cases that write: one append, many, imports, recorders, spans
reading     cases that read: views, lists, search, comparisons, followers, the page
clients     clients of agents, beside the stores that their frameworks bring
whole_log   cases over a whole log: projections, reports, Parquet, a log beyond memory
bounds      the table of hostile shapes in docs/why/reliability.md
structure   counts modules, imports and what a request passes
"""
