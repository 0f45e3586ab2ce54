-- The tenants in which a name is defined and was not taken away, but those that have moved.
SELECT tenant
FROM (
    SELECT DISTINCT ON (tenant) tenant, value
    FROM agentlog.definitions
    WHERE kind = %(kind)s AND name = %(name)s
    ORDER BY tenant, number DESC
) AS latest
WHERE value IS NOT NULL AND (agentlog.elsewhere(tenant)).step IS NULL
ORDER BY tenant
