-- Threads that an import made and that are hidden or not, by the position of their start. Metadata
-- is JSON as the log prints it, without spaces.
SELECT started.position, started.thread_id
FROM agentlog.events AS started
INNER JOIN agentlog.threads AS head USING (tenant, thread_id)
WHERE started.tenant = %(tenant)s
  AND started.position > %(after)s
  AND started.position <= %(upto)s
  AND started.type = 'thread.started'
  AND position(convert_to('"importId":"' || %(id)s::text || '"', 'UTF8') IN started.metadata) > 0
  AND head.hidden = %(hidden)s
ORDER BY started.position
LIMIT %(limit)s
