-- An import that is there already goes on.
INSERT INTO agentlog.imports (tenant, id, at, after, paths)
SELECT %(tenant)s, %(id)s, clock_timestamp(), position, %(paths)s::text[]
FROM agentlog.counter
ON CONFLICT (tenant, id) DO UPDATE SET ended_at = NULL, upto = NULL
