UPDATE agentlog.subscriptions
SET failing_since = NULL
WHERE tenant = %(tenant)s AND name = %(name)s AND failing_since IS NOT NULL
