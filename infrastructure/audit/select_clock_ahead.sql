-- The time of the log's counter, if it is not that of the last event: the next events would get it.
-- A tenant that arrived or left may have set it.
SELECT recorded_at::text
FROM agentlog.counter
WHERE recorded_at > greatest(
    '-infinity',
    (
        SELECT last.recorded_at
        FROM agentlog.threads
        INNER JOIN agentlog.events AS last USING (tenant, thread_id, version)
        ORDER BY threads.position DESC
        LIMIT 1
    ),
    (SELECT max(moves.recorded_at) FROM agentlog.moves)
)
