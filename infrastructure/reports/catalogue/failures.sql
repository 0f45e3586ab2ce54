/*
title = "Failed calls"
comment = "Which errors tools give, how often, and where the last of each is."
source = "tool_calls"
only = "item.outcome IN ('failed', 'told')"
by = ["tool", "error_class"]
order = "-errors"
limit = 50
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
-- Errors by kind, each with the place of the last one. The link shows the messages from call to
-- answer, at most a page.
SELECT {names}
       errors, threads, first_at, last_at, error_message, thread, version,
       answered_version, position,
       '/v1/threads/' || thread || '/messages?after=' || version - 1 || '&limit='
           || least(1000, coalesce(answered_version - version, 0) + 1) AS link,
       failed, told
FROM (
    SELECT {names}
           count(*) AS errors,
           count(*) FILTER (WHERE outcome = 'failed') AS failed,
           count(*) FILTER (WHERE outcome = 'told') AS told,
           count(DISTINCT thread_id) AS threads,
           min(recorded_at AT TIME ZONE 'UTC') AS first_at,
           max(recorded_at AT TIME ZONE 'UTC') AS last_at,
           max(error_message) FILTER (WHERE is_last) AS error_message,
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
                   item.answered_version, item.error_message, item.outcome
            FROM {items}
        ) AS failure
    ) AS failure
    GROUP BY {places}
) AS found
