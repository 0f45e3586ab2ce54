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
count(*) AS toys
