SELECT count(*)
FROM agentlog.events
WHERE tenant = %(tenant)s AND position >= %(position)s
