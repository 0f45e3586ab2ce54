-- The position of the leaf of an index, from 0.
SELECT position
FROM agentlog.events
WHERE tenant = %(tenant)s
ORDER BY position
OFFSET %(index)s
LIMIT 1
