-- The threads with erasures after a given number, and the last number.
SELECT coalesce(max(number), %(after)s), array_remove(array_agg(DISTINCT thread_id), NULL)
FROM agentlog.erasures
WHERE tenant = %(tenant)s AND number > %(after)s
