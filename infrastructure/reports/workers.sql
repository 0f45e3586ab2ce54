-- Workers: numbers started and by outcome, and durations.
SELECT {names}
       spawned, succeeded, failed, open,
       failed::float8 / nullif(succeeded + failed, 0) AS failure_rate,
       duration[1] AS duration_p50, duration[2] AS duration_p95, duration[3] AS duration_p99
FROM (
    SELECT {breakdowns}
           count(item.spawned_at) AS spawned,
           count(*) FILTER (WHERE item.outcome = 'succeeded') AS succeeded,
           count(*) FILTER (WHERE item.outcome = 'failed') AS failed,
           count(*) FILTER (WHERE item.outcome IS NULL) AS open,
           percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY item.duration_ms)
               AS duration
    FROM {table} AS item
    {threads}
    WHERE {conditions}
    GROUP BY {places}
) AS found
ORDER BY {order}
LIMIT %(limit)s
