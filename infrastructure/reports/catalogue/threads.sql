/*
title = "Threads"
comment = "What threads came to, how long they took and what they used."
source = "threads"
by = ["outcome"]
order = "-threads"
columns = [
    ["threads", "threads", "threads that began then"],
    ["duration_p50", "ms", "50 % of threads, from first message to last, as far as that is known took no longer"],
    ["duration_p95", "ms", "95 % of threads, from first message to last, as far as that is known took no longer"],
    ["duration_p99", "ms", "99 % of threads, from first message to last, as far as that is known took no longer"],
    ["messages", "messages", "all of their messages"],
    ["steps", "steps", "as the view agent-state counts them"],
    ["tool_calls", "calls", "tool calls that they asked for"],
    ["model_calls", "calls", "calls of models"],
    ["input_tokens", "tokens", "as reported; null where nothing was"],
    ["output_tokens", "tokens", "as reported; null where nothing was"],
    ["total_tokens", "tokens", "as reported; null where nothing was"],
    ["cost_usd", "USD", "of these calls, reported or computed; null where no cost is known", "computed_calls"],
    ["computed_calls", "calls", "how many of the costs a list of prices gave"],
    ["unpriced_calls", "calls", "answered calls whose cost is not known: not in it"],
    ["failures", "", "what failed on record: results, workers, the runtime, exits by an error"],
    ["told", "calls", "calls whose result tells of a failure that no field states"],
    ["suspected", "", "what only a rule suspects"],
]
*/
-- Threads by outcome. Durations and totals are over all of a thread's messages, but for
-- answers that count in another thread; money as in usage.
count(*) AS threads,
sum(item.messages) AS messages,
sum(item.steps) AS steps,
sum(item.tool_calls) AS tool_calls,
sum(item.failures) AS failures,
sum(item.told) AS told,
sum(item.suspected) AS suspected,
sum(item.model_calls) AS model_calls,
sum(item.input_tokens) AS input_tokens,
sum(item.output_tokens) AS output_tokens,
sum(item.total_tokens) AS total_tokens,
sum(item.cost_usd)
    FILTER (WHERE item.cost_usd BETWEEN -1e290 AND 1e290) AS cost_usd,
sum(item.computed_calls) AS computed_calls,
sum(item.unpriced_calls) AS unpriced_calls
