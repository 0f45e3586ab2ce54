SELECT tenant, number, step, move_id, other, events, first_position, last_position, counter_before,
       counter_after, recorded_at, taken::text AS taken,
       -- a schema before 0025 has no such column
       coalesce((to_jsonb(moves) ->> 'erasures')::bigint, 0) AS erasures, root, note, public_key, made_at
FROM agentlog.moves
WHERE %(tenant)s::text IS NULL OR tenant = %(tenant)s
ORDER BY tenant, number
