-- Columns that a row brings along, in their order.
SELECT attname
FROM pg_attribute
WHERE attrelid = %(table)s::regclass AND attnum > 0 AND NOT attisdropped
    AND attidentity = '' AND attgenerated = ''
ORDER BY attnum
