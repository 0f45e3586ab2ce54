-- The time of the log's counter, if it is not that of the last event: the next events would get it.
SELECT recorded_at::text
FROM agentlog.counter
WHERE recorded_at > coalesce((SELECT max(updated_at) FROM agentlog.threads), '-infinity')
