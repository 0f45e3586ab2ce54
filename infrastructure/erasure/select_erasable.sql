-- Events that a redaction of a thread still has to erase, by version, a page at a time: those
-- before it, of some ids or of any, that are not erased. Events that lost only a file are included.
SELECT version, type, message_id, body, cuts, metadata
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND version > %(after)s
  AND version < %(before)s
  AND type <> 'thread.redacted'
  AND (%(message_ids)s::text[] IS NULL OR message_id = ANY (%(message_ids)s::text[]))
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
ORDER BY version
LIMIT %(limit)s
