-- A consumer's words on events of a thread may quote what is erased.
UPDATE agentlog.deliveries
SET error = '[redacted]'
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND error IS NOT NULL
