-- The next threads, by id, from one on, that have events at these positions, or whose heads say so:
-- a head that was set back or deleted hides no event.
WITH grown AS MATERIALIZED ( -- read by position: few events of a log are new
    SELECT DISTINCT thread_id
    FROM agentlog.events
    WHERE tenant = %(tenant)s AND position >= %(first_position)s AND position <= %(last_position)s
)
SELECT thread_id FROM grown WHERE thread_id >= %(first)s
UNION
SELECT thread_id
FROM agentlog.threads
WHERE tenant = %(tenant)s AND thread_id >= %(first)s AND position >= %(first_position)s
ORDER BY thread_id
LIMIT %(limit)s
