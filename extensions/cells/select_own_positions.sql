-- Positions of this database's own run that a tenant's events have, without those it arrived with.
SELECT coalesce(range_agg(int8range(position, position, '[]')), '{}')::text
FROM agentlog.events
WHERE tenant = %(tenant)s
    AND position > coalesce(
        (
            SELECT max(last_position) FROM agentlog.moves
            WHERE tenant = %(tenant)s AND step = 'arrived'
        ),
        '-9223372036854775808'
    )
