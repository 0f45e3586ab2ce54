-- Heads at one position of the log, which is in every row; one index look-up for each thread. If
-- none of the threads exists, there is one row without a head.
SELECT counter.position AS log_position, head.*
FROM agentlog.counter
LEFT JOIN (
    unnest(%(tenants)b::text[], %(thread_ids)b::text[]) AS wanted (tenant, thread_id)
    CROSS JOIN LATERAL (
        SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, facts,
               started_at, updated_at, hidden
        FROM agentlog.threads
        WHERE threads.tenant = wanted.tenant AND threads.thread_id = wanted.thread_id
        LIMIT 1
    ) AS head
) ON true
