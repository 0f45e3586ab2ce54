/*
title = "Loops"
comment = "Which threads call the same again and again, with which tool, by which rule."
source = "marks"
only = "item.rule = ANY (%(repeat_rules)s)"
by = ["tool", "rule"]
order = "-calls"
limit = 50
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
            FROM {items}
        ) AS marked
    ) AS marked
    GROUP BY {places}
) AS found
