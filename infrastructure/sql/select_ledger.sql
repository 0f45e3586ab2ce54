SELECT tenant, thread_id, kind, id_sha256, asked, answered
FROM agentlog.ledger
JOIN unnest(%(tenants)b::text[], %(thread_ids)b::text[], %(kinds)b::text[], %(ids)b::bytea[])
    AS wanted (tenant, thread_id, kind, id_sha256)
    USING (tenant, thread_id, kind, id_sha256)
