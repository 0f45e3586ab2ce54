SELECT thread_id
FROM agentlog.threads
WHERE tenant = %(tenant)s AND thread_id > %(after)s AND (%(hidden)s OR NOT hidden)
ORDER BY thread_id
LIMIT %(limit)s
