-- The redactions of a thread, and which of them are carried out.
SELECT version, number
FROM agentlog.erasures
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
ORDER BY version
