-- As select_threads, of the threads that were found to be candidates.
SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, facts,
       started_at, updated_at
FROM unnest(%(thread_ids)s::text[]) AS candidate (candidate_id)
CROSS JOIN LATERAL (
    SELECT *
    FROM agentlog.threads
    WHERE tenant = %(tenant)s AND thread_id = candidate_id
    LIMIT 1
) AS head
WHERE (%(metadata)s::bytea IS NULL OR metadata @> (SELECT agentlog.scalars_of(%(metadata)s)))
  AND (
      %(text)s::text IS NULL
      OR starts_with(thread_id, %(text)s)
      OR words @@ (SELECT agentlog.words_query(%(tenant)s, %(text)s))
  )
  AND position < %(before)s
  AND status = ANY (%(statuses)s)
  AND (%(parent)s::text IS NULL OR parent = %(parent)s)
ORDER BY position DESC
LIMIT %(limit)s
