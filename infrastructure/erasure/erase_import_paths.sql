-- Names of files that imports made wholly erased threads of: only the owner of the table may.
-- Metadata is JSON as the log prints it, without spaces.
UPDATE agentlog.imports AS import
SET paths = array_fill('[redacted]'::text, ARRAY[cardinality(paths)])
WHERE EXISTS (
    SELECT FROM agentlog.events AS started
    WHERE started.tenant = import.tenant AND started.type = 'thread.started'
      AND started.position > import.after
      AND (import.upto IS NULL OR started.position <= import.upto)
      AND started.redacted IS NOT NULL
      AND position(convert_to('"importId":"' || import.id || '"', 'UTF8') IN started.metadata) > 0
)
