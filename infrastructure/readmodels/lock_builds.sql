-- Every build, locked. The newest of a read model first: one that goes live has itself locked, and
-- waits for the one it takes the place of.
SELECT name, build, version
FROM agentlog.projections
ORDER BY name, build DESC
FOR UPDATE
