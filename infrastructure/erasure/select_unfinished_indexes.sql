-- What a REINDEX CONCURRENTLY that was interrupted left behind.
SELECT nspname, relname
FROM pg_index
JOIN pg_class ON pg_class.oid = indexrelid
JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname IN ('agentlog', 'agentlog_readmodels')
    AND NOT indisvalid
    AND relname ~ '_cc(new|old)\d*$'
