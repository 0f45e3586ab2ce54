SELECT asked.position
FROM unnest(%(positions)s::bigint[], %(thread_ids)s::text[], %(ids)s::bytea[])
    AS asked (position, thread_id, id_sha256)
JOIN agentlog.ledger
    ON ledger.tenant = %(tenant)s AND ledger.thread_id = asked.thread_id
    AND ledger.kind = 'approval' AND ledger.id_sha256 = asked.id_sha256
WHERE answered IS NULL
