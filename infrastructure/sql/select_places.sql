-- Which of these message ids stand in their threads already.
SELECT tenant, thread_id, message_id, version, position, body_sha256
FROM agentlog.events
JOIN unnest(%(tenants)b::text[], %(thread_ids)b::text[], %(message_ids)b::text[])
    AS wanted (tenant, thread_id, message_id)
    USING (tenant, thread_id, message_id)
