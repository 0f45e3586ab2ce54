-- The nearest carry at or before a version, with the other data that its seal covers: the log's
-- current link at its version, and the latest erasure of the thread.
SELECT version, carry, grown,
       (
           SELECT events.chain
           FROM agentlog.events
           WHERE events.tenant = kept.tenant
             AND events.thread_id = kept.thread_id
             AND events.version = kept.version
       ) AS chain,
       (
           SELECT coalesce(max(number), 0)
           FROM agentlog.erasures
           WHERE erasures.tenant = kept.tenant AND erasures.thread_id = kept.thread_id
       ) AS erased
FROM agentlog.snapshots AS kept
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND view = %(view)s
  AND options = %(options)s
  AND format = %(format)s
  AND version <= %(version)s
  AND carry IS NOT NULL
ORDER BY version DESC
LIMIT 1
