SELECT position, chain
FROM agentlog.events
WHERE tenant = %(tenant)s AND position >= %(first)s AND position <= %(upto)s
ORDER BY position
LIMIT %(limit)s
