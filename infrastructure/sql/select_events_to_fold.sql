-- What views are folded from: neither position nor time, which no view may depend on, and which take a
-- third of the time to read.
SELECT version, type, body, message_id, metadata, cuts, redacted
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND version > %(after)s
  AND version <= %(upto)s
ORDER BY version
LIMIT %(limit)s
