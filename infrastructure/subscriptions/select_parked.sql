SELECT number, position, type, nullif(thread_id, ''), attempts, error, parked_at
FROM agentlog.deliveries
WHERE tenant = %(tenant)s AND subscription = %(name)s AND parked_at IS NOT NULL
    AND number > %(after)s
ORDER BY number
LIMIT %(limit)s
