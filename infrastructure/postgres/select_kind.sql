-- What the database is to a service, in a session that may write or not; a promoted standby is a
-- writer in its old sessions too. It needs no right to the schema.
SELECT CASE
    WHEN EXISTS (
        SELECT FROM pg_subscription_rel
        JOIN pg_class ON pg_class.oid = srrelid
        JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = 'agentlog' AND relname = 'events'
    ) THEN 'subscriber'
    WHEN pg_is_in_recovery() THEN 'standby'
    WHEN current_setting('transaction_read_only')::boolean THEN 'read-only'
    ELSE 'writer'
END
