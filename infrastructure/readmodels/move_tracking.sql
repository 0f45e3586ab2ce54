INSERT INTO agentlog.tracking AS tracked (application_name, notification_id)
SELECT application_name, %(notification_id)s
FROM unnest(%(application_names)s::text[]) AS given (application_name)
ON CONFLICT (application_name) DO UPDATE SET notification_id = excluded.notification_id
WHERE tracked.notification_id < excluded.notification_id
