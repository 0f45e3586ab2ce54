UPDATE agentlog.subscriptions
SET paused_at = NULL, paused_why = NULL, failing_since = NULL
WHERE tenant = %(tenant)s AND name = %(name)s
