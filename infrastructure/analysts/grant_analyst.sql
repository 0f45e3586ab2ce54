-- A login for analysts of one tenant. It may read the views of agentlog_analytics, as PUBLIC may,
-- and they show it its tenant's rows; it owns nothing, and has no rights on the tables behind them.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {name}) THEN
        CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS
            CONNECTION LIMIT 16;
        ALTER ROLE {role} SET default_transaction_read_only = on;
        ALTER ROLE {role} SET search_path = agentlog_analytics;
        ALTER ROLE {role} SET statement_timeout = '60s';
        ALTER ROLE {role} SET lock_timeout = '5s';
        ALTER ROLE {role} SET idle_in_transaction_session_timeout = '60s';
    END IF;
END
$$;
INSERT INTO agentlog.analysts (role, tenant) VALUES ({name}, {tenant})
ON CONFLICT (role) DO UPDATE SET tenant = excluded.tenant;
