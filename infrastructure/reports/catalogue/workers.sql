/*
title = "Workers"
comment = "Which workers were sent off, and what came of it."
source = "workers"
by = ["model"]
order = "-spawned"
columns = [
    ["spawned", "workers", "workers that were sent off"],
    ["succeeded", "workers", "those that came back with an output"],
    ["failed", "workers", "those that came back with an error"],
    ["open", "workers", "those that are not back yet"],
    ["failure_rate", "share", "failed of those that came back"],
    ["duration_p50", "ms", "50 % of workers whose duration is known took no longer"],
    ["duration_p95", "ms", "95 % of workers whose duration is known took no longer"],
    ["duration_p99", "ms", "99 % of workers whose duration is known took no longer"],
]
[derived]
failure_rate = "failed::float8 / nullif(succeeded + failed, 0)"
*/
-- Workers: numbers started and by outcome, and durations.
count(item.spawned_at) AS spawned,
count(*) FILTER (WHERE item.outcome = 'succeeded') AS succeeded,
count(*) FILTER (WHERE item.outcome = 'failed') AS failed,
count(*) FILTER (WHERE item.outcome IS NULL) AS open
