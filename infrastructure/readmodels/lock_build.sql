-- A build to work on, which nobody else works on meanwhile.
SELECT version, state, paused, stopped_at
FROM agentlog.projections
WHERE name = %(name)s AND build = %(build)s
FOR UPDATE SKIP LOCKED
