-- Idempotent: a repeated call keeps the first time.
UPDATE agentlog.keys
SET revoked_at = %(at)s, revoked_by = %(by)s
WHERE tenant = %(tenant)s AND id = %(id)s AND revoked_at IS NULL
