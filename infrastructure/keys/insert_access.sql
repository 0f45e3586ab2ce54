INSERT INTO agentlog.accesses (tenant, at, key_id, method, route, thread_id, status, request_id)
VALUES
    (%(tenant)s, %(at)s, %(key_id)s, %(method)s, %(route)s, %(thread_id)s, %(status)s,
     %(request_id)s)
