-- Threads that have a ledger and no head.
SELECT DISTINCT thread_id
FROM agentlog.ledger AS noted
WHERE tenant = %(tenant)s
  AND NOT EXISTS (
      SELECT
      FROM agentlog.threads
      WHERE threads.tenant = noted.tenant AND threads.thread_id = noted.thread_id
  )
ORDER BY thread_id
