INSERT INTO agentlog.deliveries (tenant, subscription, position, type, thread_id)
SELECT %(tenant)s, %(name)s, position, type, thread_id
FROM unnest(%(positions)s::bigint[], %(types)s::text[], %(thread_ids)s::text[])
    AS matched (position, type, thread_id)
ORDER BY position
