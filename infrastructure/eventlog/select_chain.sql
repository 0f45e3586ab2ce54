SELECT chain
FROM agentlog.events
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND version = %(version)s
