-- Locks a build; returns nothing if another transaction has locked it.
SELECT version, state, paused, stopped_at
FROM agentlog.projections
WHERE name = %(name)s AND build = %(build)s
FOR UPDATE SKIP LOCKED
