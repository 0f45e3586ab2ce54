-- Revokes rights of PUBLIC that no analyst needs. Run it as a superuser, in a database that only
-- agentlog uses: other users of it lose these rights too.
ALTER ROLE {role} SET temp_file_limit = '4GB';
REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC;
GRANT TEMPORARY ON DATABASE {database} TO agentlog_service; -- `agentlog verify` makes tables of its own
DO $$
DECLARE
    called regprocedure;
BEGIN
    FOR called IN
        SELECT oid FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace
            AND (
                proname ~ '^(lo_.*|lowrite|loread|pg_(try_)?advisory_.*)$'
                OR proname IN (
                    'pg_cancel_backend', 'pg_export_snapshot', 'pg_logical_emit_message',
                    'pg_notify', 'pg_terminate_backend'
                )
            )
    LOOP
        IF called::text ~ '^pg_((try_)?advisory_|notify)' THEN -- the service itself needs these
            EXECUTE format(
                'GRANT EXECUTE ON FUNCTION %s TO agentlog_service, agentlog_tenant', called
            );
        END IF;
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', called);
    END LOOP;
END
$$;
