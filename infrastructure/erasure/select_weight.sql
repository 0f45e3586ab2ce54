-- The contents of a thread that are not erased: number of events, and bytes as stored. Events that
-- lost only a file are included.
SELECT count(*), coalesce(sum(length(body) + coalesce(length(metadata), 0)), 0)::bigint
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND type <> 'thread.redacted'
  AND (
      redacted IS NULL
      OR redacted IN (
          SELECT fact.version
          FROM agentlog.events AS fact
          WHERE fact.tenant = %(tenant)s
            AND fact.thread_id = %(thread_id)s
            AND fact.type = 'thread.redacted'
            AND agentlog.redaction_in(fact.body) -> 'blob' IS NOT NULL
      )
  )
