-- One index look-up for each thread, never a join of the whole table.
SELECT head.*
FROM unnest(%(tenants)b::text[], %(thread_ids)b::text[]) AS wanted (tenant, thread_id)
CROSS JOIN LATERAL (
    SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, facts,
           started_at, updated_at, hidden
    FROM agentlog.threads
    WHERE threads.tenant = wanted.tenant AND threads.thread_id = wanted.thread_id
    LIMIT 1
) AS head
