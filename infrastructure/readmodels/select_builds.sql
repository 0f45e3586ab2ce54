-- Every build, its position, and the log's position.
SELECT name, build, version, state, paused, stopped_at, error, started_at, live_at,
       coalesce(tracking.notification_id, 0) AS position, counter.position AS log_position,
       coalesce(left_out.notification_id, 0) AS left_out
FROM agentlog.projections
CROSS JOIN agentlog.counter
LEFT JOIN agentlog.tracking
    ON tracking.application_name = projections.name || '.' || projections.build
LEFT JOIN agentlog.tracking AS left_out
    ON left_out.application_name = projections.name || '.' || projections.build || '.left_out'
ORDER BY name, build
