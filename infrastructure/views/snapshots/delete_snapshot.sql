DELETE FROM agentlog.snapshots
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND view = %(view)s
  AND options = %(options)s
  AND format = %(format)s
  AND version = %(version)s
