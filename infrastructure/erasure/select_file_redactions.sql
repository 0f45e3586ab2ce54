-- The redactions that erased a file, in order.
SELECT fact.thread_id, fact.version, fact.position, fact.body
FROM agentlog.erasures
JOIN agentlog.events AS fact
    ON fact.tenant = erasures.tenant
    AND fact.thread_id = erasures.thread_id
    AND fact.version = erasures.version
WHERE erasures.tenant = %(tenant)s
  AND (agentlog.redaction_in(fact.body) -> 'blob')::text = '"' || %(blob)s || '"'
ORDER BY fact.position
