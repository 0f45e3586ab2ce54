-- A record of each tenant says that it was done, and how many records went.
WITH gone AS (
    DELETE FROM agentlog.accesses WHERE at < %(before)s RETURNING tenant
), noted AS (
    INSERT INTO agentlog.accesses (tenant, at, method, route, status)
    SELECT tenant, now(), 'DELETE', 'accesses before ' || %(day)s || ': ' || count(*), 200
    FROM gone
    GROUP BY tenant
)
SELECT count(*) FROM gone
