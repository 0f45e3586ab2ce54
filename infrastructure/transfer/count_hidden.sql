-- How many of some threads are hidden.
SELECT count(*)
FROM agentlog.threads
WHERE tenant = %(tenant)s AND hidden AND thread_id = ANY (%(thread_ids)s::text[])
