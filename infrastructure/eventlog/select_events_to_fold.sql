-- As select_events.sql, without thread, position and time: a fold knows the first, no view may
-- depend on the others, and reading them takes a third of the time.
SELECT NULL::text, version, type, body, message_id, NULL::bigint, NULL::timestamptz, metadata, cuts,
       redacted, origin_version
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND version > %(after)s
  AND version <= %(upto)s
ORDER BY version
LIMIT %(limit)s
