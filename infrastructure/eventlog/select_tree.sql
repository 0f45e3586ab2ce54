-- The tree that a thread stands in: from the thread that stands below none downward, each thread
-- before those below it, these by the time at which they came.
WITH RECURSIVE above AS (
    SELECT thread_id, {link} AS above
    FROM agentlog.threads
    WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND (%(hidden)s OR NOT hidden)
    UNION
    SELECT thread.thread_id, thread.{link}
    FROM above
    JOIN agentlog.threads AS thread
        ON thread.tenant = %(tenant)s AND thread.thread_id = above.above
       AND (%(hidden)s OR NOT thread.hidden)
),
top AS (
    -- what is above it is null or is not there; where each is below another there is no such thread
    SELECT thread_id
    FROM above
    WHERE NOT EXISTS (SELECT FROM above AS other WHERE other.thread_id = above.above)
),
tree AS (
    SELECT thread_id, 0 AS depth, started_at
    FROM agentlog.threads
    WHERE tenant = %(tenant)s
      AND thread_id = coalesce(
          (SELECT thread_id FROM top),
          (SELECT thread_id FROM above WHERE thread_id = %(thread_id)s)
      )
    UNION ALL
    SELECT below.thread_id, tree.depth + 1, below.started_at
    FROM tree
    JOIN agentlog.threads AS below
        ON below.tenant = %(tenant)s AND below.{link} = tree.thread_id
       AND (%(hidden)s OR NOT below.hidden)
)
SEARCH DEPTH FIRST BY started_at, thread_id SET place
CYCLE thread_id SET is_circle USING path
SELECT tree.depth, head.tenant, head.thread_id, head.version, head.position, head.chain, head.policy,
       head.status, head.anomalies, head.facts, head.started_at, head.updated_at, head.hidden
FROM tree
JOIN agentlog.threads AS head ON head.tenant = %(tenant)s AND head.thread_id = tree.thread_id
WHERE NOT is_circle
ORDER BY place
LIMIT %(limit)s
