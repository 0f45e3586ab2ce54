-- A key; where its tenant has left, the other database.
SELECT id, tenant, name, scopes, created_at, created_by, expires_at, revoked_at, revoked_by,
    secret_sha256, CASE WHEN place.step <> 'fenced' THEN place.other END
FROM agentlog.keys
LEFT JOIN LATERAL agentlog.elsewhere(tenant) AS place ON true
WHERE id = %(id)s
