/*
title = "Suspected calls"
comment = "Which results look like failures though none states an error, and by which rule."
source = "suspected_calls"
by = ["tool", "rule"]
order = "-marked"
limit = 50
top = "position DESC, ordinal DESC"
link = "messages"
columns = [
    ["marked", "calls", "calls whose result a rule marks"],
    ["threads", "threads", "how many threads have any"],
    ["first_at", "", "when the log took the first of these calls"],
    ["last_at", "", "when the log took the last of them"],
    ["thread", "", "the thread of the call"],
    ["version", "", "place in that thread of the message that asked"],
    ["answered_version", "", "place of the message that answered; null while open"],
    ["position", "", "place in the log of the message that asked"],
    ["link", "", "where the messages are, from call to answer"],
    ["told", "calls", "those whose result itself tells of a failure that no field states"],
    ["suspected", "calls", "the others"],
]
[derived]
suspected = "marked - told"
*/
-- Results that rules of suspicion mark, each with the place of the last one. A result that several
-- rules mark is one row a rule, and counts once.
count(DISTINCT (item.thread_id, item.version, item.ordinal)) AS marked,
count(DISTINCT (item.thread_id, item.version, item.ordinal)) FILTER (WHERE item.outcome = 'told')
    AS told,
count(DISTINCT item.thread_id) AS threads,
min(item.recorded_at AT TIME ZONE 'UTC') AS first_at,
max(item.recorded_at AT TIME ZONE 'UTC') AS last_at,
max(item.thread_id) FILTER (WHERE is_top) AS thread,
max(item.version) FILTER (WHERE is_top) AS version,
max(item.answered_version) FILTER (WHERE is_top) AS answered_version,
max(item.position) AS position
