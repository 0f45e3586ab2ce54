-- Calls that meet some rules of suspicion, each row with the thread that has most of them.
SELECT {names}
       threads, calls, thread, version, answered_version,
       '/v1/threads/' || thread || '/outline' AS link
FROM (
    SELECT {names}
           count(DISTINCT thread_id) AS threads,
           sum(calls) AS calls,
           max(thread_id) FILTER (WHERE is_most) AS thread,
           max(version) FILTER (WHERE is_most) AS version,
           max(last_version) FILTER (WHERE is_most) AS answered_version
    FROM (
        SELECT *,
               row_number() OVER ({window} ORDER BY calls DESC, position DESC, version) = 1
                   AS is_most
        FROM (
            SELECT {breakdowns}
                   item.thread_id, item.position, item.calls, item.version, item.last_version
            FROM (
                SELECT row.tenant, row.thread_id, row.position, row.recorded_at,
                       mark ->> 'rule' AS rule, mark ->> 'tool' AS tool,
                       mark ->> 'command' AS command, mark ->> 'model' AS model,
                       (mark ->> 'calls')::bigint AS calls,
                       (mark ->> 'version')::bigint AS version,
                       (mark ->> 'lastVersion')::bigint AS last_version
                FROM {table} AS row
                CROSS JOIN LATERAL jsonb_array_elements(row.marks::jsonb) AS mark
                WHERE row.suspected > 0 AND mark ->> 'rule' = ANY (%(rules)s::text[])
            ) AS item
            {threads}
            WHERE {conditions}
        ) AS marked
    ) AS marked
    GROUP BY {places}
) AS found
ORDER BY {order}
LIMIT %(limit)s
