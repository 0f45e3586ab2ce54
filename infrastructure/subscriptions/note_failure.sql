-- Whether there was no success for too long.
UPDATE agentlog.subscriptions
SET failing_since = coalesce(failing_since, now())
WHERE tenant = %(tenant)s AND name = %(name)s
RETURNING now() - failing_since > %(days)s * interval '1 day'
