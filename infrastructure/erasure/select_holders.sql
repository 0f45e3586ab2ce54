-- Events that may hold a blob: its digest stands somewhere in their cuts.
SELECT thread_id, message_id, cuts
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND cuts IS NOT NULL
  AND position(%(digest)s::bytea IN cuts) > 0
ORDER BY events.position
