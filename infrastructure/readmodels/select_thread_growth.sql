-- As select_growth, of one thread.
SELECT tenant, thread_id, version, type, body, message_id, position, recorded_at, metadata, cuts,
       redacted, origin_version
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND version > %(after)s
  AND position <= %(upto)s
  AND origin_version IS NULL
  AND (%(types)s::text[] IS NULL OR type = ANY (%(types)s))
ORDER BY version
LIMIT %(limit)s
