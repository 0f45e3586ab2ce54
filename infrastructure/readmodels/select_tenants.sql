-- Every tenant that has a thread; one index look-up each.
WITH RECURSIVE tenants AS (
    (SELECT tenant FROM agentlog.threads ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (
        SELECT threads.tenant FROM agentlog.threads
        WHERE threads.tenant > tenants.tenant ORDER BY threads.tenant LIMIT 1
    )
    FROM tenants
    WHERE tenants.tenant IS NOT NULL
)
SELECT tenant FROM tenants WHERE tenant IS NOT NULL
