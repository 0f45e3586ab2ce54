/*
title = "Outcomes"
comment = "How many threads succeeded and failed, as judged, else by rule, scores or exits."
source = "threads"
by = ["day"]
order = "-threads"
columns = [
    ["threads", "threads", "threads that began then"],
    ["succeeded", "threads", "those that succeeded"],
    ["failed", "threads", "those that failed"],
    ["unknown", "threads", "those of which neither is known"],
    ["success_rate", "share", "succeeded of those that succeeded or failed"],
    ["score_mean", "score", "mean of their scores in numbers"],
    ["steps_mean", "steps", "mean of their steps"],
    ["cost_of_failed", "USD", "of those that failed, as far as known; computed too"],
]
[derived]
success_rate = "succeeded::float8 / nullif(succeeded + failed, 0)"
*/
-- Threads by verdict; the success rate leaves those of unknown verdict out.
count(*) AS threads,
count(*) FILTER (WHERE {verdict} = 'succeeded') AS succeeded,
count(*) FILTER (WHERE {verdict} = 'failed') AS failed,
count(*) FILTER (WHERE {verdict} IS NULL) AS unknown,
avg(item.score) FILTER (WHERE item.score BETWEEN -1e290 AND 1e290) AS score_mean,
avg(item.steps)::float8 AS steps_mean,
sum(item.cost_usd) FILTER (
    WHERE {verdict} = 'failed' AND item.cost_usd BETWEEN -1e290 AND 1e290
) AS cost_of_failed
