-- The positions of the first rows at or after two times, as recorded_at never decreases.
SELECT coalesce(min(position) FILTER (WHERE which = 'begin'), 9223372036854775807),
       coalesce(min(position) FILTER (WHERE which = 'end'), 9223372036854775807)
FROM (VALUES ('begin', %(begin)s::timestamptz), ('end', %(end)s::timestamptz)) AS given (which, time)
CROSS JOIN LATERAL (
    SELECT position
    FROM {table}
    WHERE tenant = %(tenant)s AND recorded_at >= given.time
    ORDER BY recorded_at, position
    LIMIT 1
) AS first
