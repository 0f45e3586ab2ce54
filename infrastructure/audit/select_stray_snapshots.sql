-- Threads that have snapshots and no head.
SELECT DISTINCT thread_id
FROM agentlog.snapshots AS kept
WHERE tenant = %(tenant)s
  AND NOT EXISTS (
      SELECT
      FROM agentlog.threads
      WHERE threads.tenant = kept.tenant AND threads.thread_id = kept.thread_id
  )
ORDER BY thread_id
