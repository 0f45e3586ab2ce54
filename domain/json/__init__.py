"""JSON as the log stores it: strict parsing, exact printing, places of errors."""
