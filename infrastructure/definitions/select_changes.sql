-- Every change of a name, the latest first.
SELECT name, number, value, set_at, set_by
FROM agentlog.definitions
WHERE tenant = %(tenant)s AND kind = %(kind)s AND name = %(name)s
ORDER BY number DESC
LIMIT %(limit)s
