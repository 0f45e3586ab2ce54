-- Locks the live builds of some read models that can go on; skips those locked by others.
SELECT name, build
FROM agentlog.projections
WHERE (name, version) IN (SELECT * FROM unnest(%(names)s::text[], %(versions)s::integer[]))
  AND state = 'live'
  AND NOT paused
  AND stopped_at IS NULL
FOR UPDATE SKIP LOCKED
