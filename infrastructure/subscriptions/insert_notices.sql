-- None where one of this place in the log is still to be delivered.
INSERT INTO agentlog.deliveries (tenant, subscription, position, type, thread_id, notice)
SELECT tenant, name, counter.position, %(type)s, '', %(notice)s
FROM agentlog.subscriptions
CROSS JOIN agentlog.counter
WHERE tenant = %(tenant)s AND %(type)s = ANY (types)
ON CONFLICT ON CONSTRAINT deliveries_once DO NOTHING
