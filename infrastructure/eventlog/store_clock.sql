-- The store's clock, once whoever appends right now has committed: its events are of the past too.
WITH held AS MATERIALIZED (
    SELECT recorded_at
    FROM agentlog.counter
    FOR KEY SHARE
)
SELECT greatest(clock_timestamp(), recorded_at)
FROM held
