UPDATE agentlog.imports
SET ended_at = clock_timestamp(), upto = counter.position
FROM agentlog.counter
WHERE tenant = %(tenant)s AND id = %(id)s
