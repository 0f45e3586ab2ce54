-- Redactions of a thread, and whether each is still to be executed. Nothing is ever cut out of one: a cut
-- would let its stored body say something else than was chained.
SELECT fact.version, fact.body, erasures.version IS NOT NULL AS pending
FROM agentlog.events AS fact
LEFT JOIN agentlog.erasures
    ON erasures.tenant = fact.tenant
    AND erasures.thread_id = fact.thread_id
    AND erasures.version = fact.version
    AND erasures.number IS NULL
WHERE fact.tenant = %(tenant)s
  AND fact.thread_id = %(thread_id)s
  AND fact.type = 'thread.redacted'
  AND fact.cuts IS NULL
