-- Positions, of all tenants, that do not belong to exactly one event or are beyond the counter's:
-- the first and the last of each run. Moves of tenants explain some: those beyond which an arrival
-- raised the counter, and those that a tenant took along. Events that arrived are not of this run.
SELECT before + 1, first - 1, first - before - 1 -- numeric: a bigint could overflow
FROM (
    SELECT first, lag(last, 1, 0::numeric) OVER (ORDER BY first, last) AS before
    FROM (
        SELECT position::numeric, position::numeric
        FROM agentlog.events
        LEFT JOIN (
            SELECT tenant, max(last_position) AS upto
            FROM agentlog.moves
            WHERE step = 'arrived'
            GROUP BY tenant
        ) AS arrived USING (tenant)
        WHERE upto IS NULL OR position > upto
        UNION ALL
        SELECT counter_before::numeric + 1, counter_after
        FROM agentlog.moves
        WHERE step = 'arrived' AND counter_after > counter_before
        UNION ALL
        SELECT lower(part)::numeric, upper(part)::numeric - 1
        FROM agentlog.moves
        CROSS JOIN LATERAL unnest(taken) AS part
        UNION ALL
        SELECT position::numeric + 1, position::numeric + 1
        FROM agentlog.counter
    ) AS taken (first, last)
) AS steps
WHERE first <> before + 1
ORDER BY first
LIMIT %(limit)s
