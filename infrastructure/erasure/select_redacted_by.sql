SELECT count(*)
FROM agentlog.events
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND redacted = %(version)s
