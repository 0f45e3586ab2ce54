-- At most `limit` threads, in no order, whose goal or metadata match, or whose id does: more than asked
-- for, as an id says nothing of metadata. An index of its own for each, and only where it is asked.
(
    SELECT thread_id
    FROM agentlog.thread_search
    WHERE %(metadata)s::bytea IS NULL
      AND words @@ (SELECT agentlog.words_query(%(tenant)s, %(text)s))
    LIMIT %(limit)s
)
UNION ALL
(
    SELECT thread_id
    FROM agentlog.thread_search
    WHERE %(metadata)s::bytea IS NOT NULL
      AND words @@ (SELECT agentlog.words_query(%(tenant)s, %(text)s))
      AND metadata @> (SELECT agentlog.scalars_of(%(metadata)s))
    LIMIT %(limit)s
)
UNION ALL
(
    -- in code points nothing comes after the last one
    SELECT thread_id
    FROM agentlog.threads
    WHERE tenant = %(tenant)s
      AND thread_id >= %(text)s::text
      AND thread_id < %(text)s::text || chr(1114111)
    LIMIT %(limit)s
)
