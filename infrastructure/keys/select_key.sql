SELECT id, tenant, name, scopes, created_at, created_by, expires_at, revoked_at, revoked_by,
    secret_sha256
FROM agentlog.keys
WHERE id = %(id)s
