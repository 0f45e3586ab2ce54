-- Approvals: numbers requested and by answer, and times to the answer.
SELECT {names}
       asked, granted, denied, open, granted::float8 / nullif(granted + denied, 0) AS grant_rate,
       waiting[1] AS waiting_p50, waiting[2] AS waiting_p95, waiting[3] AS waiting_p99
FROM (
    SELECT {breakdowns}
           count(item.asked_at) AS asked,
           count(*) FILTER (WHERE item.outcome = 'granted') AS granted,
           count(*) FILTER (WHERE item.outcome = 'denied') AS denied,
           count(*) FILTER (WHERE item.outcome IS NULL) AS open,
           percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY item.waiting_ms)
               AS waiting
    FROM {table} AS item
    {threads}
    WHERE {conditions}
    GROUP BY {places}
) AS found
ORDER BY {order}
LIMIT %(limit)s
