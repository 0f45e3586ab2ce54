SELECT tenant, name
FROM agentlog.subscriptions
CROSS JOIN agentlog.counter
WHERE url IS NOT NULL
    AND paused_at IS NULL
    AND (
        subscriptions.position < counter.position
        OR EXISTS (
            SELECT FROM agentlog.deliveries
            WHERE deliveries.tenant = subscriptions.tenant AND subscription = name
                AND parked_at IS NULL AND due_at <= now()
        )
    )
