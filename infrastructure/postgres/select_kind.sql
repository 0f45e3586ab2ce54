-- What the database is to a service; a promoted standby is a writer in its old sessions too.
SELECT CASE
    WHEN pg_is_in_recovery() THEN 'standby'
    WHEN current_setting('transaction_read_only')::boolean THEN
        CASE
            WHEN EXISTS (
                SELECT FROM pg_subscription_rel WHERE srrelid = to_regclass('agentlog.events')
            ) THEN 'subscriber'
            ELSE 'read-only'
        END
    ELSE 'writer'
END
