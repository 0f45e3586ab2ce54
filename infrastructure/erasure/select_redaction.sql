-- The redaction at a place, if it is still to be done.
SELECT fact.body
FROM agentlog.erasures
JOIN agentlog.events AS fact
    ON fact.tenant = erasures.tenant
    AND fact.thread_id = erasures.thread_id
    AND fact.version = erasures.version
WHERE erasures.tenant = %(tenant)s
  AND erasures.thread_id = %(thread_id)s
  AND erasures.version = %(version)s
  AND erasures.number IS NULL
