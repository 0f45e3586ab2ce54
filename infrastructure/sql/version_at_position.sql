SELECT coalesce(max(version), 0)
FROM agentlog.events
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND position <= %(position)s
