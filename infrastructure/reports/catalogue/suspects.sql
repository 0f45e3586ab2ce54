/*
title = "Suspected calls"
comment = "Which results look like failures though none states an error, and by which rule."
source = "suspected_calls"
by = ["tool", "rule"]
order = "-marked"
limit = 50
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
*/
-- Results that rules of suspicion mark, each with the place of the last one. A result that several
-- rules mark is one row a rule, and counts once. The link shows the messages from call to answer,
-- at most a page.
SELECT {names}
       marked, threads, first_at, last_at, thread, version,
       answered_version, position,
       '/v1/threads/' || thread || '/messages?after=' || version - 1 || '&limit='
           || least(1000, coalesce(answered_version - version, 0) + 1) AS link,
       told, marked - told AS suspected
FROM (
    SELECT {names}
           count(DISTINCT (thread_id, version, ordinal)) AS marked,
           count(DISTINCT (thread_id, version, ordinal)) FILTER (WHERE outcome = 'told') AS told,
           count(DISTINCT thread_id) AS threads,
           min(recorded_at AT TIME ZONE 'UTC') AS first_at,
           max(recorded_at AT TIME ZONE 'UTC') AS last_at,
           max(thread_id) FILTER (WHERE is_last) AS thread,
           max(version) FILTER (WHERE is_last) AS version,
           max(answered_version) FILTER (WHERE is_last) AS answered_version,
           max(position) AS position
    FROM (
        SELECT *,
               row_number() OVER ({window} ORDER BY position DESC, ordinal DESC) = 1 AS is_last
        FROM (
            SELECT {breakdowns}
                   item.thread_id, item.version, item.ordinal, item.position, item.recorded_at,
                   item.answered_version, item.outcome
            FROM {items}
        ) AS suspect
    ) AS suspect
    GROUP BY {places}
) AS found
