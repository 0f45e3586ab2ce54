/*
title = "Models"
comment = "How models did: answers, failures, latency."
source = "model_calls"
by = ["model"]
order = "-calls"
columns = [
    ["calls", "calls", "calls of models"],
    ["answered", "calls", "those that brought a response"],
    ["failed", "calls", "those that a runtime error ended"],
    ["open", "calls", "those that nothing has ended"],
    ["failure_rate", "share", "failed of those that ended"],
    ["latency_p50", "ms", "50 % of calls whose latency is known took no longer"],
    ["latency_p95", "ms", "95 % of calls whose latency is known took no longer"],
    ["latency_p99", "ms", "99 % of calls whose latency is known took no longer"],
]
*/
-- Answers, failures and latencies of model calls.
SELECT {names}
       calls, answered, failed, calls - answered - failed AS open,
       failed::float8 / nullif(answered + failed, 0) AS failure_rate,
       latency[1] AS latency_p50, latency[2] AS latency_p95, latency[3] AS latency_p99
FROM (
    SELECT {breakdowns}
           count(*) AS calls,
           count(*) FILTER (WHERE item.outcome = 'answered') AS answered,
           count(*) FILTER (WHERE item.outcome = 'failed') AS failed,
           percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY item.latency_ms)
               AS latency
    FROM {items}
    GROUP BY {places}
) AS found
