-- The next threads that any table of the log names, by id, from one on.
SELECT thread_id FROM (
    SELECT DISTINCT thread_id FROM agentlog.events
    WHERE tenant = %(tenant)s AND thread_id >= %(first)s ORDER BY thread_id LIMIT %(limit)s
) AS of_events
UNION
SELECT thread_id FROM (
    SELECT thread_id FROM agentlog.threads
    WHERE tenant = %(tenant)s AND thread_id >= %(first)s ORDER BY thread_id LIMIT %(limit)s
) AS of_heads
UNION
SELECT thread_id FROM (
    SELECT DISTINCT thread_id FROM agentlog.ledger
    WHERE tenant = %(tenant)s AND thread_id >= %(first)s ORDER BY thread_id LIMIT %(limit)s
) AS of_ledger
UNION
SELECT thread_id FROM (
    SELECT DISTINCT thread_id FROM agentlog.erasures
    WHERE tenant = %(tenant)s AND thread_id >= %(first)s ORDER BY thread_id LIMIT %(limit)s
) AS of_erasures
ORDER BY thread_id
LIMIT %(limit)s
