-- Threads by verdict; the success rate leaves those of unknown verdict out.
SELECT {names}
       threads, succeeded, failed, unknown,
       succeeded::float8 / nullif(succeeded + failed, 0) AS success_rate,
       score_mean, steps_mean, cost_of_failed
FROM (
    SELECT {breakdowns}
           count(*) AS threads,
           count(*) FILTER (WHERE item.verdict = 'succeeded') AS succeeded,
           count(*) FILTER (WHERE item.verdict = 'failed') AS failed,
           count(*) FILTER (WHERE item.verdict IS NULL) AS unknown,
           avg(item.score) FILTER (WHERE item.score BETWEEN -1e290 AND 1e290) AS score_mean,
           avg(item.steps)::float8 AS steps_mean,
           trim_scale(round((
               sum(item.cost_usd) FILTER (
                   WHERE item.verdict = 'failed' AND item.cost_usd BETWEEN -1e290 AND 1e290
               )
           )::numeric, 9)) AS cost_of_failed
    FROM (
        SELECT item.tenant, item.thread_id, item.recorded_at, item.first_sent_at, item.outcome,
               item.status, item.policy, item.score, item.steps, item.cost_usd,
               item.judged, item.labels,
               {verdict} AS verdict
        FROM {table} AS item
        WHERE item.tenant = %(tenant)s
    ) AS item
    {threads}
    WHERE {conditions}
    GROUP BY {places}
) AS found
ORDER BY {order}
LIMIT %(limit)s
