INSERT INTO agentlog.moves (
    tenant, number, step, move_id, other, events, first_position, last_position, counter_before,
    counter_after, recorded_at, taken, erasures, root, note, public_key
)
VALUES (
    %(tenant)s, %(number)s, %(step)s, %(move_id)s, %(other)s, %(events)s, %(first_position)s,
    %(last_position)s, %(counter_before)s, %(counter_after)s, %(recorded_at)s,
    %(taken)s::int8multirange, %(erasures)s, %(root)s, %(note)s, %(public_key)s
)
