INSERT INTO agentlog.subscriptions
    (tenant, name, types, threads, metadata, position, max_attempts, url, content, secret,
     created_by)
SELECT %(tenant)s, %(name)s, %(types)s, %(threads)s, %(metadata)s,
    CASE WHEN %(from_end)s THEN counter.position ELSE %(position)s END,
    %(max_attempts)s, %(url)s, %(content)s, %(secret)s, %(created_by)s
FROM agentlog.counter
ON CONFLICT (tenant, name) DO NOTHING
