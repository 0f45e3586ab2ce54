-- The links at some versions of a thread.
SELECT version, chain
FROM agentlog.events
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND version = ANY (%(versions)s)
