SELECT name, types, threads, metadata, max_attempts, url, content, subscriptions.position,
    (
        SELECT count(*) FROM agentlog.deliveries
        WHERE tenant = subscriptions.tenant AND subscription = subscriptions.name
            AND parked_at IS NULL
    ) AS pending,
    (
        SELECT count(*) FROM agentlog.deliveries
        WHERE tenant = subscriptions.tenant AND subscription = subscriptions.name
            AND parked_at IS NOT NULL
    ) AS parked,
    greatest(counter.position - subscriptions.position, 0) AS lag,
    paused_at, paused_why, failing_since, created_at, created_by
FROM agentlog.subscriptions
CROSS JOIN agentlog.counter
WHERE tenant = %(tenant)s
    AND name > %(after)s
    AND (%(name)s::text IS NULL OR name = %(name)s)
ORDER BY name
LIMIT %(limit)s
