-- The number of the latest erasure in a thread, 0 if there is none.
SELECT coalesce(max(number), 0)
FROM agentlog.erasures
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
