-- The newest matches before a position, however far back: looks up all, from the index of words.
WITH found AS MATERIALIZED (
    SELECT position
    FROM {table} AS row
    WHERE tenant = %(tenant)s
      AND words @@ %(words)s::tsquery
      AND position >= %(since)s
      AND position < %(before)s
      AND (%(threads)s::text[] IS NULL OR thread_id = ANY (%(threads)s))
      AND NOT EXISTS (
          SELECT
          FROM agentlog.threads AS head
          WHERE head.tenant = %(tenant)s AND head.thread_id = row.thread_id AND head.hidden
      )
      AND (
          %(facts)s::bytea IS NULL
          OR thread_id IN (
              SELECT thread_id
              FROM agentlog.thread_search
              WHERE tenant = %(tenant)s
                AND words @@ (SELECT agentlog.words_query(%(tenant)s, NULL))
                AND metadata @> (SELECT agentlog.scalars_of(%(facts)s, 2147483647))
          )
      )
)
SELECT position
FROM found
ORDER BY position DESC
LIMIT %(limit)s
