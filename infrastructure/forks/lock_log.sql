-- The log's position, and the time of what is appended at it, as append.sql takes it.
SELECT position, greatest(clock_timestamp(), recorded_at + interval '1 microsecond')
FROM agentlog.counter
FOR UPDATE
