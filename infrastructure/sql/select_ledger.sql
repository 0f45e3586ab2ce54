SELECT tenant, thread_id, kind, id_sha256, asked, answered
FROM agentlog.ledger
JOIN unnest(%(tenants)s::text[], %(thread_ids)s::text[], %(kinds)s::text[], %(ids)s::bytea[])
    AS wanted (tenant, thread_id, kind, id_sha256)
    USING (tenant, thread_id, kind, id_sha256)
