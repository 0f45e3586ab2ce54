SELECT position, chain
FROM agentlog.events
WHERE tenant = %(tenant)s
ORDER BY position
LIMIT 1
