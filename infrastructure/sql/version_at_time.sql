-- recorded_at never runs backwards, so the last event up to that time ends the past
SELECT coalesce(max(version), 0)
FROM agentlog.events
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND recorded_at <= %(time)s
