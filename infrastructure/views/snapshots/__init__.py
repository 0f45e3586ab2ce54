"""Snapshots of views at regular versions of a thread, so that a read folds only what is new.

`snapshots` finds them; `snapshot_writer` keeps what a fold passes; `table` stores rows and
`encoding` is their format.
"""
