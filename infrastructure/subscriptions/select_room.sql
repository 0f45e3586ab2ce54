-- How many more deliveries there may be: few where many could be given out at once, more where those
-- that wait are held up by their threads, so that one thread does not hold up the others.
WITH waiting AS (
    SELECT thread_id, due_at
    FROM agentlog.deliveries
    WHERE tenant = %(tenant)s AND subscription = %(name)s AND parked_at IS NULL
)
SELECT least(
    %(most_ready)s - count(*) FILTER (
        WHERE thread_id NOT IN (SELECT thread_id FROM waiting WHERE due_at > now())
    ),
    %(most_pending)s - count(*)
)
FROM waiting
