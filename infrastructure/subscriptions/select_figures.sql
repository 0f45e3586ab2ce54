SELECT
    (SELECT count(*) FROM agentlog.subscriptions WHERE failing_since IS NOT NULL),
    (SELECT count(*) FROM agentlog.subscriptions WHERE paused_why IS NOT NULL),
    (SELECT count(*) FROM agentlog.deliveries WHERE parked_at IS NULL),
    (SELECT count(*) FROM agentlog.deliveries WHERE parked_at IS NOT NULL)
