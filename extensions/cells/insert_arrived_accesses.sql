-- Adds accesses under new numbers, after those here; a tenant that comes back brings along what it
-- had taken from here.
INSERT INTO agentlog.accesses (tenant, at, key_id, method, route, thread_id, status, request_id)
SELECT tenant, at, key_id, method, route, thread_id, status, request_id
FROM arrived_accesses AS arrived
WHERE NOT EXISTS (
    SELECT
    FROM agentlog.accesses AS kept
    WHERE kept.tenant = arrived.tenant
      AND kept.at = arrived.at
      AND kept.request_id IS NOT DISTINCT FROM arrived.request_id
)
ORDER BY at
