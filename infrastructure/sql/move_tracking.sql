INSERT INTO agentlog.tracking AS tracked (application_name, notification_id)
VALUES (%(application_name)s, %(notification_id)s)
ON CONFLICT (application_name) DO UPDATE SET notification_id = excluded.notification_id
WHERE tracked.notification_id < excluded.notification_id
