"""Read models in PostgreSQL: their tables, and the projections that fill them from the log.

`builds` keeps the state of builds, `batch` reads the log, `tables` writes rows, `projection`
applies a batch in one transaction, `projector` runs all projections, in a `process` beside the
service. `projection_status` shows and controls them, and `catch_up` completes them before they are
read.
"""
