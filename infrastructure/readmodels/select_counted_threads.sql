-- Rows of threads with their sums as they count: without answers that count in another thread, and
-- with what only the run itself states in the place of what its answers leave out, as `settled` of
-- `thread_sums` has it.
SELECT {columns}
FROM {threads} AS thread
LEFT JOIN (
    SELECT tenant, thread_id, count(*) AS calls,
           sum(input_tokens)::bigint AS input_tokens,
           sum(output_tokens)::bigint AS output_tokens,
           sum(coalesce(
               total_tokens, coalesce(input_tokens, output_tokens * 0) + coalesce(output_tokens, 0)
           ))::bigint AS total_tokens,
           sum(cost_usd) AS cost_usd,
           count(*) FILTER (WHERE cost_source = 'computed') AS computed_calls,
           count(*) FILTER (WHERE outcome = 'answered' AND cost_usd IS NULL) AS unpriced_calls
    FROM {model_calls}
    WHERE copy_of IS NOT NULL
    GROUP BY tenant, thread_id
) AS copied ON copied.tenant = thread.tenant AND copied.thread_id = thread.thread_id
CROSS JOIN LATERAL (
    SELECT thread.model_calls - coalesce(copied.calls, 0) AS model_calls,
           thread.input_tokens - coalesce(copied.input_tokens, 0) AS input_tokens,
           thread.output_tokens - coalesce(copied.output_tokens, 0) AS output_tokens,
           thread.total_tokens - coalesce(copied.total_tokens, 0) AS total_tokens,
           CASE
               WHEN copied.cost_usd IS NULL THEN thread.cost_usd
               ELSE round((thread.cost_usd - copied.cost_usd)::numeric, 12)::double precision
           END AS cost_usd,
           thread.computed_calls - coalesce(copied.computed_calls, 0) AS computed_calls,
           thread.unpriced_calls - coalesce(copied.unpriced_calls, 0) AS unpriced_calls
) AS own
CROSS JOIN LATERAL (
    SELECT thread.states_run IS TRUE
               AND num_nonnulls(own.input_tokens, own.output_tokens, own.total_tokens) = 0
               AS tokens,
           thread.stated_cost_usd IS NOT NULL
               AND (own.cost_usd IS NULL OR own.computed_calls + own.unpriced_calls > 0)
               AS cost
) AS lacking
CROSS JOIN LATERAL (
    SELECT own.model_calls,
           CASE WHEN lacking.tokens THEN thread.stated_input_tokens ELSE own.input_tokens END
               AS input_tokens,
           CASE WHEN lacking.tokens THEN thread.stated_output_tokens ELSE own.output_tokens END
               AS output_tokens,
           CASE WHEN lacking.tokens THEN thread.stated_total_tokens ELSE own.total_tokens END
               AS total_tokens,
           CASE WHEN lacking.cost THEN thread.stated_cost_usd ELSE own.cost_usd END AS cost_usd,
           CASE WHEN lacking.cost THEN 0 ELSE own.computed_calls END AS computed_calls,
           CASE WHEN lacking.cost THEN 0 ELSE own.unpriced_calls END AS unpriced_calls
) AS counted
