-- All rows of one view of one thread, with the other data that the seals cover, as in
-- select_snapshot.sql.
SELECT version, carry, grown, items,
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
ORDER BY version
