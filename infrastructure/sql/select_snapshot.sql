-- The nearest carry at or before a version, whether it is of the history that the log has, and what was
-- erased of that.
SELECT version, carry, grown,
       chain = (
           SELECT events.chain
           FROM agentlog.events
           WHERE events.tenant = kept.tenant
             AND events.thread_id = kept.thread_id
             AND events.version = kept.version
       ) AS of_this_log,
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
