-- What holds: the last change of each name that was not taken away.
SELECT name, number, value, set_at, set_by
FROM (
    SELECT DISTINCT ON (name) *
    FROM agentlog.definitions
    WHERE tenant = %(tenant)s AND kind = %(kind)s AND (%(name)s::text IS NULL OR name = %(name)s)
    ORDER BY name, number DESC
) AS latest
WHERE value IS NOT NULL
ORDER BY name
