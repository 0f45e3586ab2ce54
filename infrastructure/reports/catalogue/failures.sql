/*
title = "Failed calls"
comment = "Which errors tools give, how often, and where the last of each is."
source = "tool_calls"
only = "item.outcome IN ('failed', 'told')"
by = ["tool", "error_class"]
order = "-errors"
limit = 50
top = "position DESC, ordinal DESC"
link = "messages"
columns = [
    ["errors", "calls", "calls that failed or are told to have failed"],
    ["threads", "threads", "how many threads met it"],
    ["first_at", "", "when the log took the first of these calls"],
    ["last_at", "", "when the log took the last of them"],
    ["error_message", "", "what the last one said, as far as it begins"],
    ["thread", "", "the thread of the call"],
    ["version", "", "place in that thread of the message that asked"],
    ["answered_version", "", "place of the message that answered; null while open"],
    ["position", "", "place in the log of the message that asked"],
    ["link", "", "where the messages are, from call to answer"],
    ["failed", "calls", "those whose result has an error"],
    ["told", "calls", "those whose result tells of a failure that no field states"],
]
*/
-- Errors by kind, each with the place of the last one.
count(*) AS errors,
count(*) FILTER (WHERE item.outcome = 'failed') AS failed,
count(*) FILTER (WHERE item.outcome = 'told') AS told,
count(DISTINCT item.thread_id) AS threads,
min(item.recorded_at AT TIME ZONE 'UTC') AS first_at,
max(item.recorded_at AT TIME ZONE 'UTC') AS last_at,
max(item.error_message) FILTER (WHERE is_top) AS error_message,
max(item.thread_id) FILTER (WHERE is_top) AS thread,
max(item.version) FILTER (WHERE is_top) AS version,
max(item.answered_version) FILTER (WHERE is_top) AS answered_version,
max(item.position) AS position
