-- Single calls, the slowest first. The link shows the messages from call to answer, at most a page.
SELECT {names}
       latency, tool, outcome, thread, version, answered_version, position,
       '/v1/threads/' || thread || '/messages?after=' || version - 1 || '&limit='
           || least(1000, coalesce(answered_version - version, 0) + 1) AS link
FROM (
    SELECT item.latency_ms AS latency, item.tool, item.outcome, item.thread_id AS thread,
           item.version, item.answered_version, item.position
    FROM {table} AS item
    {threads}
    WHERE {conditions} AND item.latency_ms IS NOT NULL
) AS found
ORDER BY {order}, position
LIMIT %(limit)s
