/*
title = "Tools"
comment = "How tools did: answers, errors, latency."
source = "tool_calls"
by = ["tool"]
order = "-calls"
columns = [
    ["calls", "calls", "calls that were asked for"],
    ["answered", "calls", "results, of calls and of none"],
    ["stated", "calls", "those whose result says whether the tool failed"],
    ["failed", "calls", "those whose result has an error"],
    ["error_rate", "share", "failed of stated; null where results tell of failures only"],
    ["latency_p50", "ms", "50 % of calls whose latency is known took no longer"],
    ["latency_p95", "ms", "95 % of calls whose latency is known took no longer"],
    ["latency_p99", "ms", "99 % of calls whose latency is known took no longer"],
    ["uncalled", "calls", "results that no call asked for"],
    ["told", "calls", "those whose result tells of a failure that no field states"],
]
[derived]
error_rate = """
    -- where results state failures only, their share says nothing
    CASE WHEN stated > failed OR (stated > 0 AND stated = answered)
         THEN failed::float8 / stated END"""
*/
-- Answers, errors and latencies of tool calls.
count(item.called_at) AS calls,
count(*) - count(item.called_at) AS uncalled,
count(item.outcome) AS answered,
count(*) FILTER (WHERE item.outcome IN ('succeeded', 'failed')) AS stated,
count(*) FILTER (WHERE item.outcome = 'failed') AS failed,
count(*) FILTER (WHERE item.outcome = 'told') AS told
