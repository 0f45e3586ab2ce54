INSERT INTO agentlog.imports (tenant, id, at, after, paths)
SELECT %(tenant)s, %(id)s, clock_timestamp(), position, %(paths)s::text[]
FROM agentlog.counter
