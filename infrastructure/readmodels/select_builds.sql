-- Every build, its position, and the log's position.
SELECT name, build, version, state, paused, stopped_at, error, started_at, live_at,
       coalesce(tracking.notification_id, 0) AS position, counter.position AS log_position
FROM agentlog.projections
CROSS JOIN agentlog.counter
LEFT JOIN agentlog.tracking ON application_name = projections.name || '.' || projections.build
ORDER BY name, build
