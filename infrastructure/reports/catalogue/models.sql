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
[derived]
open = "calls - answered - failed"
failure_rate = "failed::float8 / nullif(answered + failed, 0)"
*/
-- Answers, failures and latencies of model calls.
count(*) AS calls,
count(*) FILTER (WHERE item.outcome = 'answered') AS answered,
count(*) FILTER (WHERE item.outcome = 'failed') AS failed
