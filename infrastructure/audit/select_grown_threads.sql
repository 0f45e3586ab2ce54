-- The next threads, by id, from one on, whose heads say that they have events from a position on.
SELECT thread_id
FROM agentlog.threads
WHERE tenant = %(tenant)s AND thread_id >= %(first)s AND position >= %(position)s
ORDER BY thread_id
LIMIT %(limit)s
