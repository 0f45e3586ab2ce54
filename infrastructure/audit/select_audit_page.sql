-- A thread's events from a version on, as they are stored: at least one, limited by number and by
-- bytes. A time that Python cannot represent is NULL.
WITH beyond AS (
    SELECT *
    FROM agentlog.events
    WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND version >= %(first)s
    ORDER BY version
    LIMIT %(limit)s
),
counted AS (
    SELECT *,
           sum(length(body)) OVER (ORDER BY version ROWS UNBOUNDED PRECEDING) - length(body)
               AS before
    FROM beyond
)
SELECT version, position, type, message_id,
       CASE WHEN recorded_at >= '0001-01-02' AND recorded_at < '9999-12-31' THEN recorded_at END,
       body, body_sha256, left_sha256, chain, metadata, cuts, redacted, metadata_sha256,
       origin_version
FROM counted
WHERE before < %(most_bytes)s
ORDER BY version
