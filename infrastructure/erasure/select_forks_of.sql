-- Forks of a thread, the oldest first.
SELECT thread_id
FROM agentlog.threads
WHERE tenant = %(tenant)s AND origin = %(thread_id)s
ORDER BY started_at
