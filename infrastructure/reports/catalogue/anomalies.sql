/*
title = "Anomalies"
comment = "Where histories break the rules that they were kept under, as the log stands now."
source = "heads"
by = ["thread"]
order = "-anomalies"
limit = 50
where = "anomalies > 0"
link = "anomalies"
columns = [
    ["anomalies", "anomalies", "rules broken"],
    ["affected", "threads", "threads with any"],
    ["threads", "threads", "all threads that began then"],
    ["affected_share", "share", "affected of all"],
    ["worst_thread", "", "the thread with most"],
    ["link", "", "the anomalies of that thread"],
]
[derived]
affected_share = "affected::float8 / threads"
*/
-- Anomalies counted in the heads of threads, of threads that have any.
sum(item.anomalies) AS anomalies,
count(*) FILTER (WHERE item.anomalies > 0) AS affected,
count(*) AS threads,
(array_agg(item.thread_id ORDER BY item.anomalies DESC, item.thread_id)
    FILTER (WHERE item.anomalies > 0))[1] AS worst_thread
