-- Heads as they are at one position of the log, which is in every row: a look-up for each thread. There
-- is a row without a head where none of the threads is there.
SELECT counter.position AS log_position, head.*
FROM agentlog.counter
LEFT JOIN (
    unnest(%(tenants)b::text[], %(thread_ids)b::text[]) AS wanted (tenant, thread_id)
    CROSS JOIN LATERAL (
        SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, facts,
               started_at, updated_at
        FROM agentlog.threads
        WHERE threads.tenant = wanted.tenant AND threads.thread_id = wanted.thread_id
        LIMIT 1
    ) AS head
) ON true
