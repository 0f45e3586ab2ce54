/*
title = "Anomalies"
comment = "Where histories break the rules that they were kept under, as the log stands now."
source = "heads"
by = ["thread"]
order = "-anomalies"
limit = 50
columns = [
    ["anomalies", "anomalies", "rules broken"],
    ["affected", "threads", "threads with any"],
    ["threads", "threads", "all threads that began then"],
    ["affected_share", "share", "affected of all"],
    ["worst_thread", "", "the thread with most"],
    ["link", "", "the anomalies of that thread"],
]
*/
-- Anomalies counted in the heads of threads, of threads that have any.
SELECT {names}
       anomalies, affected, threads, affected::float8 / threads AS affected_share, worst_thread,
       '/v1/threads/' || worst_thread || '/views/anomalies' AS link
FROM (
    SELECT {breakdowns}
           sum(item.anomalies) AS anomalies,
           count(*) FILTER (WHERE item.anomalies > 0) AS affected,
           count(*) AS threads,
           (array_agg(item.thread_id ORDER BY item.anomalies DESC, item.thread_id)
               FILTER (WHERE item.anomalies > 0))[1] AS worst_thread
    FROM {items}
    GROUP BY {places}
) AS found
WHERE anomalies > 0
