-- A key that arrives under the id of another that is here.
SELECT id
FROM arrived_keys AS arrived
INNER JOIN agentlog.keys AS kept USING (id)
WHERE (kept.tenant, kept.secret_sha256) <> (arrived.tenant, arrived.secret_sha256)
LIMIT 1
