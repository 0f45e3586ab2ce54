-- A table of the log of which this login may not read all rows.
SELECT relname
FROM pg_class
WHERE relnamespace = to_regnamespace('agentlog')
    AND relkind IN ('r', 'p')
    AND (NOT has_table_privilege(oid, 'SELECT') OR row_security_active(oid))
LIMIT 1
