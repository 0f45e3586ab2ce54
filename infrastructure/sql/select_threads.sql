-- By recency, newest first, from heads alone; `before` is the position that the last page ended at.
SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, facts,
       started_at, updated_at
FROM agentlog.threads
WHERE tenant = %(tenant)s
  AND position < %(before)s
  AND (%(status)s::text IS NULL OR status = %(status)s)
  AND (%(parent)s::text IS NULL OR parent = %(parent)s)
  AND (
      %(pattern)s::text IS NULL
      OR goal ILIKE %(pattern)s
      OR thread_id ILIKE %(pattern)s
  )
ORDER BY position DESC
LIMIT %(limit)s
