-- By recency, newest first; `before` is the position that the last page ended at. Of the next `reach`
-- threads those that match: a walk that is long where few do (see listing.py).
SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, facts,
       started_at, updated_at
FROM (
    SELECT *
    FROM agentlog.threads
    WHERE tenant = %(tenant)s AND position < %(before)s
    ORDER BY position DESC
    LIMIT %(reach)s
) AS recent
WHERE (%(metadata)s::bytea IS NULL OR metadata @> (SELECT agentlog.scalars_of(%(metadata)s)))
  AND (
      %(text)s::text IS NULL
      OR starts_with(thread_id, %(text)s)
      OR words @@ (SELECT agentlog.words_query(%(tenant)s, %(text)s))
  )
ORDER BY position DESC
LIMIT %(limit)s
