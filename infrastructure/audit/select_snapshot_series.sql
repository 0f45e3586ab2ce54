-- The views of a thread that have snapshots.
SELECT DISTINCT view, options
FROM agentlog.snapshots
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
ORDER BY view, options
