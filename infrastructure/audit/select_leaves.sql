SELECT position, chain
FROM agentlog.events
WHERE tenant = %(tenant)s AND position > %(after)s AND position <= %(upto)s
ORDER BY position
LIMIT %(limit)s
