-- What notifications tell of: the log's position, how far its readers are, and the latest erasure.
SELECT position,
       (SELECT sum(notification_id) FROM agentlog.tracking),
       (SELECT max(number) FROM agentlog.erasures)
FROM agentlog.counter
