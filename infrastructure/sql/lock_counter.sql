-- Held until commit: the next writer continues from what this one committed.
SELECT position, greatest(clock_timestamp(), recorded_at) AS recorded_at
FROM agentlog.counter
FOR UPDATE
