-- Events that may hold a blob: their cuts contain its digest.
SELECT thread_id, message_id, cuts
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND cuts IS NOT NULL
  AND position(%(digest)s::bytea IN cuts) > 0
ORDER BY events.position
