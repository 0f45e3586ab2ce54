-- A page of the messages of a fork's origin, up to the version that it was copied at, with digests
-- in place of contents.
SELECT version, type, message_id, body_sha256, left_sha256,
       coalesce(metadata_sha256, sha256(coalesce(metadata, '')))
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND version > %(after)s
  AND version <= %(upto)s
  AND type NOT LIKE 'thread.%%'
ORDER BY version
LIMIT %(limit)s
