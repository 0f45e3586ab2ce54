"""Read models in PostgreSQL: their tables, and the projections that fill them from the log.

`builds` keeps the books, `batch` reads the log, `tables` writes rows, `projection` does a batch in
one transaction, `projector` keeps all at it, in a `process` beside the service. `standings` is what
the rest of the house asks, and `present` brings them there before they are read.
"""
