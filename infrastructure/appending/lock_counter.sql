-- Held until commit: the next writer continues from what this one committed. The clock is read when
-- the lock has been granted, not before (hence the CTE), and no two appends have the same time: what
-- was recorded up to a time is settled as soon as the counter shows that time.
WITH held AS MATERIALIZED (
    SELECT position, recorded_at
    FROM agentlog.counter
    FOR UPDATE
)
SELECT position, greatest(clock_timestamp(), recorded_at + interval '1 microsecond') AS recorded_at
FROM held
