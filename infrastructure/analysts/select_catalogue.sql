-- The tables that an analyst may read, column by column, with their comments. Run it as the
-- analyst.
SELECT
    class.relname::text AS table_name,
    obj_description(class.oid, 'pg_class') AS table_comment,
    attribute.attname::text AS name,
    format_type(attribute.atttypid, attribute.atttypmod) AS type,
    col_description(class.oid, attribute.attnum) AS comment
FROM pg_class AS class
JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
WHERE class.relnamespace = 'agentlog_analytics'::regnamespace
    AND class.relkind = 'v'
    AND attribute.attnum > 0
    AND NOT attribute.attisdropped
    AND has_table_privilege(class.oid, 'SELECT')
ORDER BY class.relname, attribute.attnum
