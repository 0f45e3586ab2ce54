-- The tree of forks that a thread stands in: from the thread that is no fork downward, each thread
-- before its forks, those by the time at which they were made.
WITH RECURSIVE above AS (
    SELECT thread_id, origin
    FROM agentlog.threads
    WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
    UNION
    SELECT thread.thread_id, thread.origin
    FROM above
    JOIN agentlog.threads AS thread
        ON thread.tenant = %(tenant)s AND thread.thread_id = above.origin
),
tree AS (
    SELECT thread_id, 0 AS depth, started_at
    FROM agentlog.threads
    WHERE tenant = %(tenant)s
      AND thread_id IN (SELECT thread_id FROM above WHERE origin IS NULL)
    UNION ALL
    SELECT fork.thread_id, tree.depth + 1, fork.started_at
    FROM tree
    JOIN agentlog.threads AS fork
        ON fork.tenant = %(tenant)s AND fork.origin = tree.thread_id
)
SEARCH DEPTH FIRST BY started_at, thread_id SET place
CYCLE thread_id SET is_circle USING path
SELECT tree.depth, head.tenant, head.thread_id, head.version, head.position, head.chain, head.policy,
       head.status, head.anomalies, head.facts, head.started_at, head.updated_at, head.hidden
FROM tree
JOIN agentlog.threads AS head ON head.tenant = %(tenant)s AND head.thread_id = tree.thread_id
WHERE NOT is_circle AND (%(hidden)s OR NOT head.hidden)
ORDER BY place
LIMIT %(limit)s
