-- A page of threads, by number, with the count of all that match; one row without a thread where the
-- page is empty. The page is chosen by what filters and order need, all else is looked up for its
-- rows only. `found` is materialized if filters are to be evaluated once for count and page; without
-- filters both come from indexes.
WITH summary AS NOT MATERIALIZED (
    SELECT item.thread_id, item.goal, item.parent, item.status, item.outcome, item.policy,
           {verdict} AS verdict, item.judged, item.judged_by, item.score, item.metadata,
           item.labels, item.judgements, item.tools, item.last_version AS version,
           item.last_position AS position,
           item.messages, item.inputs, item.replies, item.steps, item.tool_calls,
           item.tool_failures, item.model_calls, item.input_tokens, item.output_tokens,
           item.total_tokens, item.cost_usd, item.computed_calls, item.unpriced_calls,
           item.duration_ms, item.recorded_at AS started_at,
           item.last_recorded_at AS updated_at, item.first_sent_at, item.last_sent_at,
           item.approvals_asked,
           CASE WHEN item.status = 'open' THEN coalesce(waiting.pending, 0) ELSE 0 END
               AS approvals_pending,
           item.workers, item.runtime_errors, coalesce(head.anomalies, 0) AS anomalies,
           coalesce(suspicion.failures, 0) AS failures, coalesce(suspicion.told, 0) AS told,
           coalesce(suspicion.suspected, 0) AS suspected, coalesce(suspicion.loops, 0) AS loops,
           coalesce(suspicion.marks, '[]') AS marks,
           EXISTS ({hidden}) AS hidden
    FROM {threads} AS item
    LEFT JOIN (
        SELECT thread_id, count(*) AS pending
        FROM {approvals}
        WHERE tenant = %(tenant)s AND is_open
        GROUP BY thread_id
    ) AS waiting ON waiting.thread_id = item.thread_id
    LEFT JOIN agentlog.threads AS head
        ON head.tenant = %(tenant)s AND head.thread_id = item.thread_id AND head.anomalies > 0
    LEFT JOIN {suspicions} AS suspicion
        ON suspicion.tenant = %(tenant)s AND suspicion.thread_id = item.thread_id
    WHERE item.tenant = %(tenant)s
      AND {shown}
),
found AS {materialized} (
    SELECT thread_id, {key} AS key
    FROM summary
    WHERE {conditions}
),
page AS (
    SELECT thread_id, key
    FROM found
    ORDER BY {order}, thread_id
    OFFSET %(offset)s
    LIMIT %(limit)s
)
SELECT counted.total, summary.*
FROM (SELECT count(*) AS total FROM found) AS counted
LEFT JOIN (page INNER JOIN summary USING (thread_id)) ON true
ORDER BY {order}, summary.thread_id
