-- Threads with events after a position, in the order of their latest event.
SELECT thread_id, version, position
FROM agentlog.threads
WHERE tenant = %(tenant)s AND position > %(after)s
ORDER BY position
LIMIT %(limit)s
