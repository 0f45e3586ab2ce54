-- A head with all its columns. A time that Python cannot represent is NULL.
SELECT version, position, chain, policy, status, anomalies, parent, goal, facts, hidden,
       CASE WHEN started_at >= '0001-01-02' AND started_at < '9999-12-31' THEN started_at END,
       CASE WHEN updated_at >= '0001-01-02' AND updated_at < '9999-12-31' THEN updated_at END,
       origin
FROM agentlog.threads
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
