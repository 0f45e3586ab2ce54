SELECT kind, id_sha256, asked, answered
FROM agentlog.ledger
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
