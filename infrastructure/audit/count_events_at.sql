SELECT count(*)
FROM agentlog.events
WHERE tenant = %(tenant)s AND position >= %(first)s AND position <= %(last)s
