INSERT INTO agentlog.keys
    (id, tenant, name, scopes, secret_sha256, created_at, created_by, expires_at)
VALUES
    (%(id)s, %(tenant)s, %(name)s, %(scopes)s, %(secret_sha256)s, %(created_at)s, %(created_by)s,
     %(expires_at)s)
ON CONFLICT (id) DO NOTHING
