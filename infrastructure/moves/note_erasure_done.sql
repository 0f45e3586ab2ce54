-- As agentlog.finish_erasure, of one that was carried out in another database.
UPDATE agentlog.erasures
SET number = (SELECT coalesce(max(number), 0) + 1 FROM agentlog.erasures), done_at = %(done_at)s
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND version = %(version)s
