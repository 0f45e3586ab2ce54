-- The number of the latest erasure that was done in a thread, 0 where there is none.
SELECT coalesce(max(number), 0)
FROM agentlog.erasures
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
