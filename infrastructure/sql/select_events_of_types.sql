-- As select_events, of some types, each named once: the events of others are not read.
SELECT thread_id, version, type, body, message_id, position, recorded_at, metadata, cuts,
       redacted
FROM unnest(%(types)s::text[]) AS wanted (wanted_type)
CROSS JOIN LATERAL (
    SELECT *
    FROM agentlog.events
    WHERE tenant = %(tenant)s
      AND thread_id = %(thread_id)s
      AND type = wanted_type
      AND version > %(after)s
      AND version <= %(upto)s
    ORDER BY version
    LIMIT %(limit)s
) AS event
ORDER BY version
LIMIT %(limit)s
