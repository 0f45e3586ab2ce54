-- As select_events.sql, without thread, position and time: whoever folds knows the first, no view may depend
-- on the others, and together they take a third of the time to read.
SELECT NULL::text, version, type, body, message_id, NULL::bigint, NULL::timestamptz, metadata, cuts,
       redacted
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND version > %(after)s
  AND version <= %(upto)s
ORDER BY version
LIMIT %(limit)s
