/*
title = "Slowest calls"
comment = "The tool calls that took longest, each with its place in the log."
source = "tool_calls"
only = "item.latency_ms IS NOT NULL"
order = "-latency"
limit = 20
link = "messages"
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
-- Single calls, the slowest first.
item.latency_ms AS latency,
item.tool,
item.outcome,
item.thread_id AS thread,
item.version,
item.answered_version,
item.position
