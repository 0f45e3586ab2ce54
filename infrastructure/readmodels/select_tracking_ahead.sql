-- Readers of the log, such as builds, that are tracked beyond its end.
SELECT application_name, notification_id, position
FROM agentlog.tracking
CROSS JOIN agentlog.counter
WHERE notification_id > position
ORDER BY application_name
