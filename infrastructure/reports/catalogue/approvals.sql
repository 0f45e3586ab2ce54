/*
title = "Approvals"
comment = "What people were asked to approve, what they said, and how long they took."
source = "approvals"
by = ["tool"]
order = "-asked"
columns = [
    ["asked", "approvals", "approvals that were asked for"],
    ["granted", "approvals", "answered with yes, asked for or not"],
    ["denied", "approvals", "answered with no, asked for or not"],
    ["open", "approvals", "not answered yet"],
    ["grant_rate", "share", "granted of answered"],
    ["waiting_p50", "ms", "50 % of answers whose waiting time is known took no longer"],
    ["waiting_p95", "ms", "95 % of answers whose waiting time is known took no longer"],
    ["waiting_p99", "ms", "99 % of answers whose waiting time is known took no longer"],
]
[derived]
grant_rate = "granted::float8 / nullif(granted + denied, 0)"
*/
-- Approvals: numbers requested and by answer, and times to the answer.
count(item.asked_at) AS asked,
count(*) FILTER (WHERE item.outcome = 'granted') AS granted,
count(*) FILTER (WHERE item.outcome = 'denied') AS denied,
count(*) FILTER (WHERE item.outcome IS NULL) AS open
