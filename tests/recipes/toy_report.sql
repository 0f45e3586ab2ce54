/*
title = "Toys"
comment = "Which tools are toys."
source = "tool_calls"
by = ["tool"]
order = "-toys"
columns = [
    ["toys", "calls", "calls of toys"],
]
*/
SELECT {names} toys
FROM (
    SELECT {breakdowns} count(*) AS toys
    FROM {items}
    GROUP BY {places}
) AS found
