-- Positions, of all tenants, that do not belong to exactly one event or are beyond the counter's:
-- the first and the last of each run.
SELECT before + 1, position - 1, position - before - 1 -- numeric: a bigint could overflow
FROM (
    SELECT position, lag(position, 1, 0::numeric) OVER (ORDER BY position) AS before
    FROM (
        SELECT position::numeric FROM agentlog.events
        UNION ALL
        SELECT position::numeric + 1 FROM agentlog.counter
    ) AS taken
) AS steps
WHERE position <> before + 1
ORDER BY position
LIMIT %(limit)s
