-- The last event at or before a moment: by position, or by recorded_at, which never decreases. If it
-- is not the newest event, a binary search finds it: it is `found`, or its version is above `low` and
-- up to `high`. Events written by other programs may skip versions, so the nearest at or below the
-- middle decides for all between.
WITH RECURSIVE search (found, low, high) AS (
    (
        SELECT CASE WHEN {place} <= %(moment)s THEN version ELSE 0 END,
               0::bigint,
               CASE WHEN {place} <= %(moment)s THEN 0 ELSE version - 1 END
        FROM agentlog.events
        WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
        ORDER BY version DESC
        LIMIT 1
    )
    UNION ALL
    SELECT CASE WHEN {place} <= %(moment)s THEN version ELSE found END,
           CASE WHEN {place} > %(moment)s THEN low ELSE middle END,
           CASE WHEN {place} > %(moment)s THEN version - 1 ELSE high END
    FROM search
    CROSS JOIN LATERAL (SELECT high - (high - low) / 2 AS middle) AS half
    LEFT JOIN LATERAL (
        SELECT version, {place}
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
