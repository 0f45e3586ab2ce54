-- As select_growth, of several tenants, by position. Where tenants were merged from several logs,
-- events may share a position: they come in one batch, as a batch that ended between them would
-- lose some.
SELECT tenant, thread_id, version, type, body, message_id, position, recorded_at, metadata, cuts,
       redacted, origin_version
FROM (
    SELECT *,
           sum(length(body)) OVER (ORDER BY position)
               - sum(length(body)) OVER (PARTITION BY position) AS before
    FROM (
        SELECT event.*
        FROM unnest(%(tenants)s::text[]) AS given (tenant)
        CROSS JOIN LATERAL (
            SELECT *
            FROM agentlog.events
            WHERE events.tenant = given.tenant
              AND position > %(after)s
              AND position <= %(upto)s
              AND origin_version IS NULL
              AND (%(types)s::text[] IS NULL OR type = ANY (%(types)s))
            ORDER BY position
            LIMIT %(limit)s
        ) AS event
        ORDER BY position
        FETCH FIRST %(limit)s ROWS WITH TIES
    ) AS beyond
) AS counted
WHERE before < %(most_bytes)s
ORDER BY position
