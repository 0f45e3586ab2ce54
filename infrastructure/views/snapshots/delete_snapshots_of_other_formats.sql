DELETE FROM agentlog.snapshots
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND view = %(view)s
  AND options = %(options)s
  AND format <> %(format)s
  AND format LIKE %(of_key)s -- a service with another key has its own
