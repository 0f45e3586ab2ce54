-- What a fork copied is left out: it was delivered as an event of the origin.
SELECT thread_id, position, type
FROM agentlog.events
WHERE tenant = %(tenant)s
    AND position > %(after)s
    AND position <= %(upto)s
    AND origin_version IS NULL
    AND (%(types)s::text[] IS NULL OR type = ANY (%(types)s))
    AND (%(threads)s::text IS NULL OR starts_with(thread_id, %(threads)s))
ORDER BY position
LIMIT %(limit)s
