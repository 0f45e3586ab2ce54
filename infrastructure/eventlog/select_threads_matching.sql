-- As select_threads, however far back: looks up all matches and returns the newest.
WITH found AS MATERIALIZED (
    (
        SELECT thread_id, position
        FROM agentlog.thread_search
        WHERE words @@ (SELECT agentlog.words_query(%(tenant)s, %(text)s))
          AND content LIKE ALL ((SELECT agentlog.parts_of(%(text)s))::text[])
          AND {metadata}
          AND position < %(before)s
          AND status = ANY (%(statuses)s)
          AND (%(parent)s::text IS NULL OR parent = %(parent)s)
          AND (
              %(hidden)s
              OR NOT EXISTS (
                  SELECT
                  FROM agentlog.threads AS head
                  WHERE head.tenant = %(tenant)s
                    AND head.thread_id = thread_search.thread_id
                    AND head.hidden
              )
          )
        ORDER BY position DESC
        LIMIT %(limit)s
    )
    UNION ALL
    (
        -- never started: no goal, no metadata, no parent. U+10FFFF comes after every other character
        SELECT thread_id, position
        FROM agentlog.threads
        WHERE %(facts)s::bytea IS NULL
          AND %(parent)s::text IS NULL
          AND tenant = %(tenant)s
          AND thread_id >= %(text)s::text
          AND thread_id < %(text)s::text || chr(1114111)
          AND facts IS NULL
          AND (%(hidden)s OR NOT hidden)
          AND position < %(before)s
          AND status = ANY (%(statuses)s)
        ORDER BY position DESC
        LIMIT %(limit)s
    )
)
SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, facts,
       started_at, updated_at, hidden
FROM (
    SELECT thread_id AS found_id
    FROM found
    ORDER BY position DESC
    LIMIT %(limit)s
) AS newest
CROSS JOIN LATERAL (
    SELECT *
    FROM agentlog.threads
    WHERE tenant = %(tenant)s AND thread_id = found_id
    LIMIT 1
) AS head
ORDER BY position DESC
