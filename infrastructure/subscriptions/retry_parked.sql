UPDATE agentlog.deliveries
SET parked_at = NULL, attempts = 0, due_at = now()
WHERE tenant = %(tenant)s AND subscription = %(name)s AND parked_at IS NOT NULL
    AND (%(numbers)s::bigint[] IS NULL OR number = ANY (%(numbers)s))
