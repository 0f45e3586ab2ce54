-- Again is as good as once: the first time stays.
UPDATE agentlog.keys
SET revoked_at = %(at)s, revoked_by = %(by)s
WHERE tenant = %(tenant)s AND id = %(id)s AND revoked_at IS NULL
