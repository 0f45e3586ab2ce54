-- Redactions of a thread beside the rows that say whether they were carried out: facts without such a row
-- and rows without a fact too. A fact with cuts has no body here: a cut would let its stored body say something
-- else than was chained.
SELECT version,
       CASE WHEN fact.cuts IS NULL THEN fact.body END AS body,
       done.position IS NOT NULL AS has_row,
       fact.position IS NOT DISTINCT FROM done.position AS is_same,
       fact.position = done.position AND done.number IS NULL AS is_pending
FROM (
    SELECT * FROM agentlog.events
    WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND type = 'thread.redacted'
) AS fact
FULL JOIN (
    SELECT * FROM agentlog.erasures WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
) AS done USING (version)
ORDER BY version
