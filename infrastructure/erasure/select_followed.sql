-- What was erased because a redaction was asked for, beside what it names: exchanges, and others.
SELECT
    count(*) FILTER (WHERE gone.type IN ('agentlog.exchange', 'agentlog.mcp')),
    count(*) FILTER (WHERE gone.type NOT IN ('agentlog.exchange', 'agentlog.mcp'))
FROM agentlog.erasures
JOIN agentlog.events AS fact
    ON fact.tenant = erasures.tenant
    AND fact.thread_id = erasures.thread_id
    AND fact.version = erasures.version
CROSS JOIN LATERAL (SELECT agentlog.redaction_in(fact.body) -> 'follows' AS follows) AS said
JOIN agentlog.events AS gone
    ON gone.tenant = fact.tenant
    AND gone.thread_id = fact.thread_id
    AND gone.redacted = fact.version
WHERE erasures.tenant = %(tenant)s
  AND erasures.position > %(position)s
  AND follows ->> 'thread' = %(thread_id)s
  AND follows ->> 'version' = %(version)s::text
