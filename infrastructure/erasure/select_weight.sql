-- The contents of a thread that are not erased: number of events, and bytes as stored.
SELECT count(*), coalesce(sum(length(body) + coalesce(length(metadata), 0)), 0)::bigint
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND redacted IS NULL
  AND type <> 'thread.redacted'
