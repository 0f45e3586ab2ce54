-- The last redaction after a position up to which all are carried out; and the threads of all that
-- are: of those beyond an unfinished one too, which are returned again until it is finished.
SELECT coalesce(max(position) FILTER (WHERE position < unfinished.first), %(after)s),
       array_remove(array_agg(DISTINCT thread_id), NULL)
FROM agentlog.erasures
CROSS JOIN (
    SELECT coalesce(min(position), 9223372036854775807) AS first
    FROM agentlog.erasures
    WHERE tenant = %(tenant)s AND number IS NULL
) AS unfinished
WHERE tenant = %(tenant)s AND position > %(after)s AND number IS NOT NULL
