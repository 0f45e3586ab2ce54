SELECT tenant, thread_id, version
FROM agentlog.erasures
WHERE number IS NULL AND (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
ORDER BY position
