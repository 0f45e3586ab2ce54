SELECT id, tenant, name, scopes, created_at, created_by, expires_at, revoked_at, revoked_by
FROM agentlog.keys
WHERE tenant = %(tenant)s AND id > %(after)s
ORDER BY id
LIMIT %(limit)s
