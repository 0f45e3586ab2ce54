-- Positions of events erased in whole or in part by redactions after a position.
SELECT event.position
FROM agentlog.erasures
JOIN agentlog.events AS event
    ON event.tenant = erasures.tenant
    AND event.thread_id = erasures.thread_id
    AND event.redacted = erasures.version
WHERE erasures.tenant = %(tenant)s
  AND erasures.position > %(after)s
  AND erasures.number IS NOT NULL
  AND event.position <= %(last)s
ORDER BY event.position
