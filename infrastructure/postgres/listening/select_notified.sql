-- What notifications tell of: the log's position, how far its readers are, and the latest erasure.
SELECT (SELECT position FROM agentlog.counter),
       (SELECT sum(notification_id) FROM agentlog.tracking),
       (SELECT max(number) FROM agentlog.erasures)
