-- The threads with exchanges that a thread's recorded runs are in: the threads above it, all below
-- those, and forks.
WITH RECURSIVE above (thread_id) AS (
    SELECT %(thread_id)s::text COLLATE "C"
    UNION
    SELECT thread.parent
    FROM above
    JOIN agentlog.threads AS thread
        ON thread.tenant = %(tenant)s AND thread.thread_id = above.thread_id
    WHERE thread.parent IS NOT NULL
), related (thread_id) AS (
    SELECT thread_id FROM above
    UNION
    SELECT further.thread_id
    FROM related
    CROSS JOIN LATERAL (
        SELECT thread_id
        FROM agentlog.threads
        WHERE tenant = %(tenant)s AND parent = related.thread_id
        UNION ALL
        SELECT thread_id
        FROM agentlog.threads
        WHERE tenant = %(tenant)s AND origin = related.thread_id
    ) AS further
)
SELECT thread_id
FROM related
WHERE EXISTS (
    SELECT
    FROM agentlog.events
    WHERE tenant = %(tenant)s
      AND events.thread_id = related.thread_id
      AND type IN ('agentlog.exchange', 'agentlog.mcp')
)
ORDER BY thread_id
