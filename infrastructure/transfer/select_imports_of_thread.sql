-- Imports that made a thread or appended to it. Metadata is JSON as the log prints it, without
-- spaces; an erasure leaves the import's id in it.
SELECT import.id
FROM agentlog.imports AS import
WHERE import.tenant = %(tenant)s
  AND (
      %(thread_id)s::text = ANY (import.grown)
      OR EXISTS (
          SELECT FROM agentlog.events AS started
          WHERE started.tenant = %(tenant)s AND started.thread_id = %(thread_id)s
            AND started.type = 'thread.started'
            AND position(convert_to('"importId":"' || import.id || '"', 'UTF8') IN started.metadata) > 0
      )
  )
  AND import.id = ANY (%(ids)s::text[])
