-- Which of these message ids exist in their threads; one index look-up each.
SELECT place.*
FROM unnest(%(tenants)b::text[], %(thread_ids)b::text[], %(message_ids)b::text[])
    AS wanted (tenant, thread_id, message_id)
CROSS JOIN LATERAL (
    SELECT tenant, thread_id, message_id, version, position, body_sha256
    FROM agentlog.events
    WHERE events.tenant = wanted.tenant
      AND events.thread_id = wanted.thread_id
      AND events.message_id = wanted.message_id
    LIMIT 1
) AS place
