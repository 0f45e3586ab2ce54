"""Snapshots of views at regular versions of a thread: no read folds what another has folded.

`snapshots` finds them; what a fold passes is kept along its `trail`; `table` and `rows` say where
and as what. `ahead` folds threads as they grow, in the views that are `in_use`.
"""
