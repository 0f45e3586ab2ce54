-- Views that are lists: their items are kept as they were printed, so that a read of what was read before
-- folds nothing but what has come since. As all of the table they may be dropped at any time.
ALTER TABLE agentlog.snapshots
    ADD COLUMN items bytea, -- settled since the row before; NULL where the view is a state
    ALTER COLUMN items SET STORAGE EXTERNAL; -- compressed by whoever writes them
