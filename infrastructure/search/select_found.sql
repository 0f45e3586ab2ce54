-- Events at some positions, newest first, in the columns of select_growth.
SELECT tenant, thread_id, version, type, body, message_id, position, recorded_at, metadata, cuts,
       redacted
FROM agentlog.events
WHERE tenant = %(tenant)s AND position = ANY (%(positions)s::bigint[])
ORDER BY position DESC
