-- What was settled from one version to another, row by row, and whether each is of the history that the log has.
SELECT version, items,
       chain = (
           SELECT events.chain
           FROM agentlog.events
           WHERE events.tenant = kept.tenant
             AND events.thread_id = kept.thread_id
             AND events.version = kept.version
       ) AS of_this_log
FROM agentlog.snapshots AS kept
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND view = %(view)s
  AND options = %(options)s
  AND format = %(format)s
  AND version > %(after)s
  AND version <= %(upto)s
ORDER BY version
LIMIT %(limit)s
