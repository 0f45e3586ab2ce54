-- Events of all tenants beyond a position, in the order of the log; at least one, and no more than so
-- many or so many bytes. Lengths of large bodies are known without reading them.
WITH RECURSIVE tenants AS (
    (SELECT tenant FROM agentlog.threads ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (
        SELECT threads.tenant FROM agentlog.threads
        WHERE threads.tenant > tenants.tenant ORDER BY threads.tenant LIMIT 1
    )
    FROM tenants
    WHERE tenants.tenant IS NOT NULL
),
beyond AS (
    SELECT event.*
    FROM tenants
    CROSS JOIN LATERAL (
        SELECT *
        FROM agentlog.events
        WHERE events.tenant = tenants.tenant
          AND position > %(after)s
          AND position <= %(upto)s
          AND (%(types)s::text[] IS NULL OR type = ANY (%(types)s))
        ORDER BY position
        LIMIT %(limit)s
    ) AS event
    ORDER BY position
    LIMIT %(limit)s
),
counted AS (
    SELECT *, sum(length(body)) OVER (ORDER BY position) - length(body) AS before FROM beyond
)
SELECT tenant, thread_id, version, type, body, message_id, position, recorded_at, metadata, cuts
FROM counted
WHERE before < %(most_bytes)s
ORDER BY position
