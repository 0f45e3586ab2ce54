-- Rows of one view of one thread, with the other data that their seals cover: the log's current link
-- at their versions, and the latest erasure of the thread.
SELECT version, {contents},
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
           WHERE erasures.tenant = %(tenant)s AND erasures.thread_id = %(thread_id)s
       ) AS erased
FROM agentlog.snapshots AS kept
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND view = %(view)s
  AND options = %(options)s
  AND format = %(format)s
  AND {which}
ORDER BY version {order}
LIMIT %(limit)s
