-- The tenant whose rows this login sees, and whether it has other rights. Run it as that login.
SELECT
    agentlog_analytics.tenant() AS tenant,
    (
        SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
        FROM pg_roles WHERE rolname = session_user
    ) AS mighty,
    EXISTS (
        SELECT FROM pg_roles
        WHERE rolname <> session_user AND (rolsuper OR rolname ~ '^pg_')
            AND pg_has_role(session_user, oid, 'MEMBER')
    ) AS privileged,
    EXISTS (
        SELECT FROM pg_namespace
        WHERE nspname IN ('agentlog', 'agentlog_readmodels')
            AND has_schema_privilege(oid, 'USAGE, CREATE')
    ) OR EXISTS (
        SELECT FROM pg_class
        WHERE relnamespace IN (
            SELECT oid FROM pg_namespace WHERE nspname IN ('agentlog', 'agentlog_readmodels')
        ) AND relkind IN ('r', 'p', 'v', 'm', 'S')
            AND CASE relkind
                WHEN 'S' THEN has_sequence_privilege(oid, 'USAGE, SELECT, UPDATE')
                ELSE has_any_column_privilege(oid, 'SELECT, INSERT, UPDATE, REFERENCES')
                    OR has_table_privilege(oid, 'DELETE, TRUNCATE, TRIGGER')
            END
    ) AS insider
