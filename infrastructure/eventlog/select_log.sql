SELECT thread_id, version, type, body, message_id, position, recorded_at, metadata, cuts,
       redacted, origin_version
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND position > %(after)s
  AND position <= %(upto)s
  AND (%(types)s::text[] IS NULL OR type = ANY (%(types)s))
ORDER BY position
LIMIT %(limit)s
