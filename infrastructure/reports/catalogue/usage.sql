/*
title = "Tokens and cost"
comment = "What models were used for: calls, tokens and cost; what only a run states of itself too."
source = "spending"
by = ["day"]
order = "-cost_usd"
columns = [
    ["calls", "calls", "calls of models"],
    ["input_tokens", "tokens", "as reported; null where no call did"],
    ["cached_input_tokens", "tokens", "of the input tokens: read from a cache"],
    ["output_tokens", "tokens", "as reported; null where no call did"],
    ["reasoning_tokens", "tokens", "of the output tokens: thoughts"],
    ["total_tokens", "tokens", "as reported, else input and output together"],
    ["cost_usd", "USD", "of these calls, reported or computed; null where no cost is known", "computed_calls"],
    ["computed_calls", "calls", "how many of the costs a list of prices gave"],
    ["unpriced_calls", "calls", "answered calls whose cost is not known: not in it"],
    ["prices", "", "that list and its version; several where rows are older"],
    ["cache_write_tokens", "tokens", "of the input tokens: written to a cache, for any time"],
    ["cache_write_1h_tokens", "tokens", "of these: written for an hour"],
]
[derived]
total_tokens = """
    CASE
        WHEN num_nonnulls(reported_total, input_without, output_without) > 0
        THEN coalesce(reported_total, 0) + coalesce(input_without, 0) + coalesce(output_without, 0)
    END"""
*/
-- Tokens and money. Sums cannot overflow: integers become numeric, and costs beyond 1e290 are
-- ignored. Money is summed as double precision and rounded to billionths of a dollar, as summing
-- numeric takes twice as long.
count(item.version) AS calls,
sum(item.input_tokens) AS input_tokens,
sum(item.cached_input_tokens) AS cached_input_tokens,
sum(item.cache_write_tokens) AS cache_write_tokens,
sum(item.cache_write_1h_tokens) AS cache_write_1h_tokens,
sum(item.output_tokens) AS output_tokens,
sum(item.reasoning_tokens) AS reasoning_tokens,
sum(item.total_tokens) AS reported_total,
sum(item.input_tokens) FILTER (WHERE item.total_tokens IS NULL) AS input_without,
sum(item.output_tokens) FILTER (WHERE item.total_tokens IS NULL) AS output_without,
sum(item.cost_usd) FILTER (WHERE item.cost_usd BETWEEN -1e290 AND 1e290) AS cost_usd,
coalesce(sum(item.computed), 0) AS computed_calls,
coalesce(sum(item.unpriced), 0) AS unpriced_calls,
string_agg(DISTINCT item.prices, ', ') AS prices
