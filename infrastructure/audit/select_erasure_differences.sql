-- Redactions whose row of work is missing or elsewhere, and rows of no redaction.
SELECT thread_id, version
FROM (
    SELECT thread_id, version, position
    FROM agentlog.events
    WHERE tenant = %(tenant)s AND type = 'thread.redacted'
) AS fact
FULL JOIN (
    SELECT thread_id, version, position
    FROM agentlog.erasures
    WHERE tenant = %(tenant)s
) AS work USING (thread_id, version)
WHERE fact.position IS DISTINCT FROM work.position
ORDER BY thread_id, version
