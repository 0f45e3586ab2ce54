/*
title = "Loops"
comment = "Which threads call the same again and again, with which tool, by which rule."
source = "marks"
only = "item.rule = ANY (%(repeat_rules)s)"
by = ["tool", "rule"]
order = "-calls"
limit = 50
top = "calls DESC, position DESC, version"
link = "outline"
columns = [
    ["threads", "threads", "threads with such calls"],
    ["calls", "calls", "calls that meet this rule"],
    ["thread", "", "the thread with most of them"],
    ["version", "", "place in that thread of the first of them"],
    ["answered_version", "", "place of the last of them"],
    ["link", "", "the outline of that thread"],
]
*/
-- Calls that meet some rules of suspicion, each row with the thread that has most of them.
count(DISTINCT item.thread_id) AS threads,
sum(item.calls) AS calls,
max(item.thread_id) FILTER (WHERE is_top) AS thread,
max(item.version) FILTER (WHERE is_top) AS version,
max(item.last_version) FILTER (WHERE is_top) AS answered_version
