-- What the database is to a service, in a session that may write or not; a promoted standby is a
-- writer in its old sessions too. A subscription copies tables one by one: the log's position may be
-- there before its events. It needs no right to the schema.
SELECT CASE
    WHEN is_copying THEN 'copying'
    WHEN pg_is_in_recovery() THEN 'standby'
    WHEN has_events THEN 'subscriber'
    WHEN current_setting('transaction_read_only')::boolean THEN 'read-only'
    ELSE 'writer'
END
FROM (
    SELECT bool_or(srsubstate <> 'r') AS is_copying, bool_or(relname = 'events') AS has_events
    FROM pg_subscription_rel
    JOIN pg_class ON pg_class.oid = srrelid
    JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = 'agentlog'
) AS subscribed
