-- The next change of a name; none where nothing would change.
INSERT INTO agentlog.definitions (tenant, kind, name, number, value, set_by)
SELECT %(tenant)s, %(kind)s, %(name)s, coalesce(max(number), 0) + 1, %(value)s, %(set_by)s
FROM agentlog.definitions
WHERE tenant = %(tenant)s AND kind = %(kind)s AND name = %(name)s
HAVING (array_agg(value ORDER BY number DESC))[1] IS DISTINCT FROM %(value)s
