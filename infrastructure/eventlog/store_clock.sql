-- The store's clock, after any append in progress has committed, so that its events are in the
-- past.
WITH held AS MATERIALIZED (
    SELECT recorded_at
    FROM agentlog.counter
    FOR KEY SHARE
)
SELECT greatest(clock_timestamp(), recorded_at)
FROM held
