-- The last event up to a position.
SELECT position, chain
FROM agentlog.events
WHERE tenant = %(tenant)s AND position <= %(upto)s
ORDER BY position DESC
LIMIT 1
