DELETE FROM agentlog.subscriptions WHERE tenant = %(tenant)s AND name = %(name)s
