-- The time of the last event that the index leaves out as too old.
SELECT recorded_at
FROM agentlog.events
WHERE tenant = %(tenant)s AND position <= %(left_out)s
ORDER BY position DESC
LIMIT 1
