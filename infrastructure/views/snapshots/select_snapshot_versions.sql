-- Which of these versions have a snapshot, and whether it has a carry.
SELECT version, carry IS NOT NULL AS has_carry
FROM agentlog.snapshots
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND view = %(view)s
  AND options = %(options)s
  AND format = %(format)s
  AND version = ANY (%(versions)s)
