DELETE FROM agentlog.snapshots WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
