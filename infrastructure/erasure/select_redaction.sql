-- The redaction at a version, if it is pending.
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
