-- Threads with events but no head; there are none unless the head was deleted.
SELECT DISTINCT thread_id
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND NOT EXISTS (
      SELECT FROM agentlog.threads
      WHERE threads.tenant = events.tenant AND threads.thread_id = events.thread_id
  )
ORDER BY thread_id
