/*
title = "Slowest calls"
comment = "The tool calls that took longest, each with its place in the log."
source = "tool_calls"
only = "item.latency_ms IS NOT NULL"
order = "-latency"
limit = 20
columns = [
    ["latency", "ms", "from call to answer, by the producer's clock"],
    ["tool", "", "name of the tool"],
    ["outcome", "", "succeeded, failed, told or unstated"],
    ["thread", "", "the thread of the call"],
    ["version", "", "place in that thread of the message that asked"],
    ["answered_version", "", "place of the message that answered; null while open"],
    ["position", "", "place in the log of the message that asked"],
    ["link", "", "where the messages are, from call to answer"],
]
*/
-- Single calls, the slowest first. The link shows the messages from call to answer, at most a page.
SELECT {names}
       latency, tool, outcome, thread, version, answered_version, position,
       '/v1/threads/' || thread || '/messages?after=' || version - 1 || '&limit='
           || least(1000, coalesce(answered_version - version, 0) + 1) AS link
FROM (
    SELECT item.latency_ms AS latency, item.tool, item.outcome, item.thread_id AS thread,
           item.version, item.answered_version, item.position
    FROM {items}
) AS found
