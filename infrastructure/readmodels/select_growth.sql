-- Events of one tenant after a position, in the order of the log: at least one, limited by number
-- and by bytes. Lengths of large bodies are known without reading them. What a fork copied counts
-- where it was copied from.
SELECT tenant, thread_id, version, type, body, message_id, position, recorded_at, metadata, cuts,
       redacted, origin_version
FROM (
    SELECT *,
           sum(length(body)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) - length(body)
               AS before
    FROM (
        SELECT *
        FROM agentlog.events
        WHERE tenant = %(tenant)s
          AND position > %(after)s
          AND position <= %(upto)s
          AND origin_version IS NULL
          AND (%(types)s::text[] IS NULL OR type = ANY (%(types)s))
        ORDER BY position
        LIMIT %(limit)s
    ) AS beyond
) AS counted
WHERE before < %(most_bytes)s
ORDER BY position
