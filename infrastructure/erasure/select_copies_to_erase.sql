-- Messages that a fork copied and that a redaction of the origin names, as long as they are not erased.
SELECT copy.message_id
FROM agentlog.events AS copy
JOIN agentlog.events AS original
    ON original.tenant = copy.tenant
    AND original.thread_id = %(thread_id)s
    AND original.version = copy.origin_version
    AND original.message_id = copy.message_id
WHERE copy.tenant = %(tenant)s
  AND copy.thread_id = %(fork)s
  AND original.version < %(version)s
  AND (%(message_ids)s::text[] IS NULL OR copy.message_id = ANY (%(message_ids)s::text[]))
  AND (
      copy.redacted IS NULL
      OR copy.redacted IN (
          SELECT fact.version
          FROM agentlog.events AS fact
          WHERE fact.tenant = %(tenant)s
            AND fact.thread_id = %(fork)s
            AND fact.type = 'thread.redacted'
            AND agentlog.redaction_in(fact.body) -> 'blob' IS NOT NULL
      )
  )
ORDER BY copy.version
