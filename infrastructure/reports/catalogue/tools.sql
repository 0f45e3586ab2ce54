/*
title = "Tools"
comment = "How tools did: answers, errors, latency."
source = "tool_calls"
by = ["tool"]
order = "-calls"
columns = [
    ["calls", "calls", "calls, and results that no call asked for"],
    ["answered", "calls", "those with a result"],
    ["stated", "calls", "those whose result says whether the tool failed"],
    ["failed", "calls", "those whose result is an error"],
    ["error_rate", "share", "failed of stated; null where results tell of failures only"],
    ["latency_p50", "ms", "50 % of calls whose latency is known took no longer"],
    ["latency_p95", "ms", "95 % of calls whose latency is known took no longer"],
    ["latency_p99", "ms", "99 % of calls whose latency is known took no longer"],
]
*/
-- Answers, errors and latencies of tool calls.
SELECT {names}
       calls, answered, stated, failed,
       -- where results state failures only, their share says nothing
       CASE WHEN stated > failed OR (stated > 0 AND stated = answered)
            THEN failed::float8 / stated END AS error_rate,
       latency[1] AS latency_p50, latency[2] AS latency_p95, latency[3] AS latency_p99
FROM (
    SELECT {breakdowns}
           count(*) AS calls,
           count(item.outcome) AS answered,
           count(*) FILTER (WHERE item.outcome <> 'unstated') AS stated,
           count(*) FILTER (WHERE item.outcome = 'failed') AS failed,
           percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY item.latency_ms)
               AS latency
    FROM {items}
    GROUP BY {places}
) AS found
