-- Locks every build, the newest of a read model first: a build that goes live has locked itself
-- before it waits for the one it replaces.
SELECT name, build, version
FROM agentlog.projections
ORDER BY name, build DESC
FOR UPDATE
