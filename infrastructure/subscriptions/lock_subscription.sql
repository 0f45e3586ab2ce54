-- One consumer at a time is given deliveries; statements after this one see what others were given.
SELECT max_attempts, paused_at, paused_why, url, content, secret, failing_since IS NOT NULL
FROM agentlog.subscriptions
WHERE tenant = %(tenant)s AND name = %(name)s
FOR NO KEY UPDATE
