SELECT tenant, at, key_id, method, route, thread_id, status, request_id, number
FROM agentlog.accesses
WHERE tenant = %(tenant)s AND number < %(before)s
    AND (%(key_id)s::text IS NULL OR key_id = %(key_id)s)
    AND (%(thread_id)s::text IS NULL OR thread_id = %(thread_id)s)
ORDER BY number DESC
LIMIT %(limit)s
