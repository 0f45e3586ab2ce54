-- The positions of a build and of the log. Run it after locking the build: a statement sees what
-- was committed when it began.
SELECT coalesce(
    (SELECT notification_id FROM agentlog.tracking WHERE application_name = %(application_name)s), 0
), position
FROM agentlog.counter
