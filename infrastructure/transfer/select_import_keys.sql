-- The keys by which an import made its threads, NULL for none. Metadata is JSON as the log prints
-- it, without spaces.
SELECT DISTINCT substring(convert_from(started.metadata, 'UTF8') FROM '"appendedBy":"([^"]*)"')
FROM agentlog.imports AS import
INNER JOIN agentlog.events AS started USING (tenant)
WHERE import.tenant = %(tenant)s
  AND import.id = %(id)s
  AND started.position > import.after
  AND (import.upto IS NULL OR started.position <= import.upto)
  AND started.type = 'thread.started'
  AND position(convert_to('"importId":"' || import.id || '"', 'UTF8') IN started.metadata) > 0
