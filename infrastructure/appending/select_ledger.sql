-- One index look-up for each entry.
SELECT entry.*
FROM unnest(%(tenants)b::text[], %(thread_ids)b::text[], %(kinds)b::text[], %(ids)b::bytea[])
    AS wanted (tenant, thread_id, kind, id_sha256)
CROSS JOIN LATERAL (
    SELECT tenant, thread_id, kind, id_sha256, asked, answered
    FROM agentlog.ledger
    WHERE ledger.tenant = wanted.tenant
      AND ledger.thread_id = wanted.thread_id
      AND ledger.kind = wanted.kind
      AND ledger.id_sha256 = wanted.id_sha256
    LIMIT 1
) AS entry
