INSERT INTO agentlog.keys AS kept
SELECT * FROM arrived_keys
ON CONFLICT (id) DO UPDATE SET
    revoked_at = excluded.revoked_at,
    revoked_by = excluded.revoked_by
WHERE kept.revoked_at IS NULL AND excluded.revoked_at IS NOT NULL
