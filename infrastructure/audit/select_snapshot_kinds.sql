-- The kinds of a tenant's snapshots, or of those of some threads, and how many there are of each.
SELECT view, options, format, count(*)
FROM agentlog.snapshots
WHERE tenant = %(tenant)s
  AND (%(thread_ids)s::text[] IS NULL OR thread_id = ANY (%(thread_ids)s))
GROUP BY view, options, format
ORDER BY view, options, format
