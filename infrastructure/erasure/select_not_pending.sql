-- Those of some messages of a thread that no pending redaction erases, by version.
SELECT message_id
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND message_id = ANY (%(message_ids)s::text[])
  AND NOT EXISTS (
      SELECT
      FROM agentlog.erasures
      JOIN agentlog.events AS fact
          ON fact.tenant = erasures.tenant
          AND fact.thread_id = erasures.thread_id
          AND fact.version = erasures.version
      CROSS JOIN LATERAL (SELECT agentlog.redaction_in(fact.body) AS said) AS read
      WHERE erasures.tenant = %(tenant)s
        AND erasures.thread_id = %(thread_id)s
        AND erasures.number IS NULL
        AND erasures.version > events.version
        AND said -> 'blob' IS NULL
        AND (
            coalesce((said -> 'all')::text = 'true', false)
            OR EXISTS (
                SELECT FROM json_array_elements(said -> 'messages') AS named
                WHERE named::text = '"' || events.message_id || '"'
            )
        )
  )
ORDER BY version
