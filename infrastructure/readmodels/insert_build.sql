-- A build beside the live one; live itself where there is none yet. Nothing where one is building.
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
