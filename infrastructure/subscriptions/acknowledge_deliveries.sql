DELETE FROM agentlog.deliveries
WHERE tenant = %(tenant)s AND subscription = %(name)s AND lease = %(lease)s AND parked_at IS NULL
    AND (%(numbers)s::bigint[] IS NULL OR number = ANY (%(numbers)s))
RETURNING number
