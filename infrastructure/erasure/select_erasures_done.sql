-- In the order of their commits.
SELECT number, tenant, thread_id
FROM agentlog.erasures
WHERE number > %(after)s
ORDER BY number
