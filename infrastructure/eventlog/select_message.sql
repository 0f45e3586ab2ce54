SELECT thread_id, version, type, body, message_id, position, recorded_at, metadata, cuts,
       redacted, origin_version
FROM agentlog.events
WHERE tenant = %(tenant)s
  AND thread_id = %(thread_id)s
  AND message_id = %(message_id)s
  AND (
      %(hidden)s
      OR NOT EXISTS (
          SELECT
          FROM agentlog.threads
          WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND hidden
      )
  )
