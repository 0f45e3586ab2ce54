-- How far a build and the log are. To be asked once the build is locked: a statement sees what was
-- committed when it began.
SELECT coalesce(
    (SELECT notification_id FROM agentlog.tracking WHERE application_name = %(application_name)s), 0
), position
FROM agentlog.counter
