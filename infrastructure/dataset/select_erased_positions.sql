-- Positions of events erased in whole or in part by erasures after a given number.
SELECT event.position
FROM agentlog.erasures
JOIN agentlog.events AS event
    ON event.tenant = erasures.tenant
    AND event.thread_id = erasures.thread_id
    AND event.redacted = erasures.version
WHERE erasures.tenant = %(tenant)s
  AND erasures.number > %(after)s
  AND erasures.number <= %(upto)s
  AND event.position <= %(last)s
ORDER BY event.position
