-- What a fork has to know of each message that it may copy, without its body.
SELECT version, type, message_id, body_sha256, left_sha256,
       coalesce(metadata_sha256, sha256(coalesce(metadata, ''))), redacted
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND version <= %(upto)s
  AND type NOT LIKE 'thread.%%'
ORDER BY version
LIMIT %(limit)s
