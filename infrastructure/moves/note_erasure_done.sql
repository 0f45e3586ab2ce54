-- As agentlog.finish_erasure, of one that was carried out in another database, whose numbers went up
-- to `known` there.
UPDATE agentlog.erasures
SET number = 1 + greatest(
        (SELECT coalesce(max(number), 0) FROM agentlog.erasures),
        (SELECT coalesce(max(erasures), 0) FROM agentlog.moves),
        %(known)s
    ),
    done_at = %(done_at)s
WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s AND version = %(version)s
