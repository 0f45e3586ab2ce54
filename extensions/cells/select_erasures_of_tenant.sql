SELECT thread_id, version, done_at
FROM agentlog.erasures
WHERE tenant = %(tenant)s AND number IS NOT NULL
ORDER BY number
