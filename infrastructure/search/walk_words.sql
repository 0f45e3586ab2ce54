-- The matches among the next `reach` rows before a position, newest first; the position of the last
-- of these rows, and how many they are.
SELECT coalesce(array_agg(position ORDER BY position DESC) FILTER (WHERE matches), '{{}}'),
       min(position),
       count(*)
FROM (
    SELECT position,
           words @@ %(words)s::tsquery
               AND (%(threads)s::text[] IS NULL OR thread_id = ANY (%(threads)s))
               AND NOT EXISTS (
                   SELECT
                   FROM agentlog.threads AS head
                   WHERE head.tenant = %(tenant)s
                     AND head.thread_id = recent.thread_id
                     AND head.hidden
               )
               AND (
                   %(facts)s::bytea IS NULL
                   OR EXISTS (
                       SELECT
                       FROM agentlog.thread_search AS known
                       WHERE known.tenant = %(tenant)s
                         AND known.thread_id = recent.thread_id
                         AND known.metadata
                             @> (SELECT agentlog.scalars_of(%(facts)s, 2147483647))
                   )
               ) AS matches
    FROM (
        SELECT thread_id, position, words
        FROM {table}
        WHERE tenant = %(tenant)s AND position >= %(since)s AND position < %(before)s
        ORDER BY position DESC
        LIMIT %(reach)s
    ) AS recent
) AS verdict
