-- Positions of events erased in whole or in part by erasures after a given number.
SELECT blank.position
FROM agentlog.erasures
JOIN agentlog.events AS blank
    ON blank.tenant = erasures.tenant
    AND blank.thread_id = erasures.thread_id
    AND blank.redacted = erasures.version
WHERE erasures.tenant = %(tenant)s
  AND erasures.number > %(after)s
  AND erasures.number <= %(upto)s
  AND blank.position <= %(last)s
ORDER BY blank.position
