/*
title = "Outliers"
comment = "Calls of tools and models that were slow, dear or not answered, beside others."
only = "item.rule = ANY (%(outlier_rules)s)"
by = ["rule", "tool", "model"]
like = "loops"
*/
