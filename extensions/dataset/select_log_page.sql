-- A tenant's events after a position, in the order of the log: at least one, limited by number and
-- by bytes. Lengths of large bodies are known without reading them.
WITH beyond AS (
    SELECT *
    FROM agentlog.events
    WHERE tenant = %(tenant)s AND position > %(after)s AND position <= %(upto)s
    ORDER BY position
    LIMIT %(limit)s
),
counted AS (
    SELECT *,
           sum(length(body)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) - length(body)
               AS before
    FROM beyond
)
SELECT thread_id, version, position, type, message_id, recorded_at, body, body_sha256, chain,
       metadata, cuts
FROM counted
WHERE before < %(most_bytes)s
ORDER BY position
