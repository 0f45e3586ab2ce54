-- The lock is held until commit: the next writer continues from what this one committed. The clock
-- is read after the lock is granted (hence the CTE), and no two appends have the same time: once
-- the counter shows a time, no event is recorded at or before it any more.
WITH held AS MATERIALIZED (
    SELECT position, recorded_at
    FROM agentlog.counter
    FOR UPDATE
)
SELECT position, greatest(clock_timestamp(), recorded_at + interval '1 microsecond') AS recorded_at
FROM held
