-- As agentlog.finish_erasure, of one that was carried out in another database.
UPDATE agentlog.erasures
SET number = %(number)s, done_at = %(done_at)s
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND version = %(version)s
