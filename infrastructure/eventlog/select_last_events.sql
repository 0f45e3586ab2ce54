-- The last event of each of some types, its long contents left out, as rules in SQL see it.
SELECT thread_id, version, type, body, message_id, position, recorded_at, metadata,
       NULL::bytea AS cuts, redacted, origin_version
FROM unnest(%(types)s::text[]) AS wanted (wanted_type)
CROSS JOIN LATERAL (
    SELECT *
    FROM agentlog.events_in_blocks
    WHERE tenant = %(tenant)s
      AND thread_id = %(thread_id)s
      AND type = wanted_type
      AND block <= %(upto)s::bigint >> 6
      AND version <= %(upto)s
    ORDER BY version DESC
    LIMIT 1
) AS event
