-- What is tracked as left out, up to which position, and the read model of the build that it names:
-- NULL where there is no such build.
SELECT application_name, notification_id, name
FROM agentlog.tracking
LEFT JOIN agentlog.projections ON application_name = name || '.' || build || '.left_out'
WHERE right(application_name, 9) = '.left_out'
ORDER BY application_name
