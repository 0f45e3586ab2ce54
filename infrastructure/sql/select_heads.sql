SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, facts,
       started_at, updated_at
FROM agentlog.threads
JOIN unnest(%(tenants)b::text[], %(thread_ids)b::text[]) AS wanted (tenant, thread_id)
    USING (tenant, thread_id)
