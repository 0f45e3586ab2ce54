-- As select_threads, of one parent, in any of `statuses`: a walk for each, side by side.
SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, facts,
       started_at, updated_at
FROM unnest(%(statuses)s::text[]) AS wanted (wanted_status)
CROSS JOIN LATERAL (
    SELECT *
    FROM agentlog.threads
    WHERE tenant = %(tenant)s AND parent = %(parent)s AND status = wanted_status
      AND position < %(before)s
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
