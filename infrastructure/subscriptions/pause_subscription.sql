-- A repeated pause keeps the first time and reason.
UPDATE agentlog.subscriptions
SET paused_at = coalesce(paused_at, now()),
    paused_why = CASE WHEN paused_at IS NULL THEN %(why)s ELSE paused_why END
WHERE tenant = %(tenant)s AND name = %(name)s
