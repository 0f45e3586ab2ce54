SELECT thread_id, version, type, body, message_id, position, recorded_at, metadata, cuts,
       redacted, origin_version
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND position = ANY (%(positions)s)
ORDER BY position
