-- Threads by recency, newest first: the matches among the next `reach` before `before`, the
-- position at which the last page ended. The oldest thread of all is always returned; it marks the
-- end of the list. `scans` are statuses, or one value of any kind where the condition has no status:
-- one scan for each, in the order of an index, merged.
SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, facts,
       started_at, updated_at, hidden, matches, oldest
FROM (
    SELECT head.*
    FROM unnest(%(scans)s::text[]) AS scans (scanned_status)
    CROSS JOIN LATERAL (
        SELECT *
        FROM agentlog.threads
        WHERE tenant = %(tenant)s
          AND {of}
          AND position < %(before)s
          AND (%(hidden)s OR NOT hidden)
        ORDER BY position DESC
        LIMIT %(reach)s
    ) AS head
    ORDER BY position DESC
    LIMIT %(reach)s
) AS recent
CROSS JOIN LATERAL (
    SELECT coalesce(
               (%(text)s::text IS NULL AND %(facts)s::bytea IS NULL)
               OR (
                   SELECT words @@ (SELECT agentlog.words_query(%(tenant)s, %(text)s))
                      AND content LIKE ALL ((SELECT agentlog.parts_of(%(text)s))::text[])
                      AND (
                          %(facts)s::bytea IS NULL
                          OR metadata @> (SELECT agentlog.scalars_of(%(facts)s, 2147483647))
                      )
                   FROM agentlog.thread_search AS known
                   WHERE known.tenant = recent.tenant AND known.thread_id = recent.thread_id
               )
               OR (
                   -- never started: it has no goal and no metadata, but an id
                   recent.facts IS NULL AND %(facts)s::bytea IS NULL
                   AND starts_with(recent.thread_id, %(text)s::text)
               ),
               false
           ) AS matches,
           recent.position = (
               SELECT min(first)
               FROM unnest(%(scans)s::text[]) AS scans (scanned_status)
               CROSS JOIN LATERAL (
                   SELECT min(position) AS first
                   FROM agentlog.threads
                   WHERE tenant = %(tenant)s AND {of}
               ) AS scan
           ) AS oldest
    OFFSET 0 -- optimisation fence: evaluated once a thread
) AS verdict
WHERE matches OR oldest
ORDER BY position DESC
LIMIT %(limit)s
