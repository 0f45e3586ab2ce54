-- Inserts a build beside the live one, or as the live one if there is none. Does nothing if one is
-- building.
INSERT INTO agentlog.projections (name, build, version, state, live_at)
SELECT %(name)s,
       coalesce(max(build), 0) + 1,
       %(version)s,
       CASE WHEN count(*) = 0 THEN 'live' ELSE 'building' END,
       CASE WHEN count(*) = 0 THEN now() END
FROM agentlog.projections
WHERE name = %(name)s
HAVING count(*) FILTER (WHERE state = 'building') = 0
RETURNING build, state
