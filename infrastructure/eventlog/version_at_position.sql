-- As version_at_time, by position; positions ascend with versions.
WITH RECURSIVE search (found, low, high) AS (
    (
        SELECT CASE WHEN position <= %(position)s THEN version ELSE 0 END,
               0::bigint,
               CASE WHEN position <= %(position)s THEN 0 ELSE version - 1 END
        FROM agentlog.events
        WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
        ORDER BY version DESC
        LIMIT 1
    )
    UNION ALL
    SELECT CASE WHEN position <= %(position)s THEN version ELSE found END,
           CASE WHEN position > %(position)s THEN low ELSE middle END,
           CASE WHEN position > %(position)s THEN version - 1 ELSE high END
    FROM search
    CROSS JOIN LATERAL (SELECT high - (high - low) / 2 AS middle) AS half
    LEFT JOIN LATERAL (
        SELECT version, position
        FROM agentlog.events
        WHERE tenant = %(tenant)s
          AND thread_id = %(thread_id)s
          AND version > low
          AND version <= middle
        ORDER BY version DESC
        LIMIT 1
    ) AS event ON true
    WHERE low < high
)
SELECT coalesce(max(found), 0)
FROM search
