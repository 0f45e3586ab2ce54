-- Who may do what: the service works in roles that cannot change what was appended, and a tenant's
-- requests see that tenant's rows and no others. Whoever runs the migrations owns the tables.

-- Roles belong to the server, not to the database: others may be making them in other databases.
DO $$
DECLARE
    name text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('agentlog_roles'));
    FOREACH name IN ARRAY ARRAY['agentlog_service', 'agentlog_tenant'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- in another database, just now
            END;
        END IF;
    END LOOP;
    -- who made a role may not work in it yet; a superuser needs no leave
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        EXECUTE format('GRANT agentlog_service, agentlog_tenant TO %I', current_user);
    END IF;
END
$$;

GRANT USAGE ON SCHEMA agentlog TO agentlog_service, agentlog_tenant;
GRANT USAGE, CREATE ON SCHEMA agentlog_readmodels, agentlog_analytics TO agentlog_service;
GRANT USAGE ON SCHEMA agentlog_readmodels TO agentlog_tenant;

-- The log grows, and that is all.
GRANT SELECT, INSERT ON agentlog.events, agentlog.blobs, agentlog.checkpoints, agentlog.tiles
    TO agentlog_service;
-- What follows from it moves along.
GRANT SELECT, INSERT, UPDATE ON agentlog.threads, agentlog.ledger TO agentlog_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON agentlog.thread_search TO agentlog_service;
GRANT SELECT, UPDATE ON agentlog.counter TO agentlog_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON agentlog.tracking, agentlog.projections, agentlog.snapshots
    TO agentlog_service;
GRANT SELECT ON agentlog.migrations, agentlog.analysts TO agentlog_service;

-- A tenant reads, keeps files, and what reads keep for themselves.
GRANT SELECT ON agentlog.events, agentlog.threads, agentlog.thread_search, agentlog.counter,
    agentlog.tracking, agentlog.projections TO agentlog_tenant;
GRANT SELECT, INSERT ON agentlog.blobs, agentlog.checkpoints, agentlog.tiles TO agentlog_tenant;
GRANT SELECT, INSERT, DELETE ON agentlog.snapshots TO agentlog_tenant;
-- Whoever asks for the time waits for the append under way, by a lock that takes a right to update;
-- this column can have but one value.
GRANT UPDATE (only_row) ON agentlog.counter TO agentlog_tenant;

-- The second wall: whatever a query of a tenant's says, it sees the rows of the tenant that its
-- session is set to. In a sub-select, so that the setting is read once a query and not once a row.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'events', 'threads', 'thread_search', 'ledger', 'blobs', 'snapshots', 'checkpoints', 'tiles'
    ] LOOP
        EXECUTE format('ALTER TABLE agentlog.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY every_tenant ON agentlog.%I TO agentlog_service USING (true)', name
        );
        EXECUTE format(
            'CREATE POLICY own_tenant ON agentlog.%I TO agentlog_tenant '
            'USING (tenant = (SELECT current_setting(''agentlog.tenant'', true)))',
            name
        );
    END LOOP;
END
$$;

-- Tables of read models belong to the service, which makes and drops them.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'agentlog_readmodels'::regnamespace AND relkind = 'r'
    LOOP
        EXECUTE format('GRANT SELECT ON agentlog_readmodels.%I TO agentlog_tenant', found.relname);
        EXECUTE format(
            'ALTER TABLE agentlog_readmodels.%I ENABLE ROW LEVEL SECURITY', found.relname
        );
        EXECUTE format(
            'CREATE POLICY own_tenant ON agentlog_readmodels.%I TO agentlog_tenant '
            'USING (tenant = (SELECT current_setting(''agentlog.tenant'', true)))',
            found.relname
        );
        EXECUTE format('ALTER TABLE agentlog_readmodels.%I OWNER TO agentlog_service', found.relname);
    END LOOP;
    FOR found IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'agentlog_analytics'::regnamespace AND relkind = 'v'
            AND relname NOT IN ('events', 'progress')
    LOOP
        EXECUTE format('ALTER VIEW agentlog_analytics.%I OWNER TO agentlog_service', found.relname);
    END LOOP;
END
$$;

-- Views of analysts: the service, too, says whose rows it asks for.
CREATE OR REPLACE FUNCTION agentlog_analytics.tenant() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(
        (SELECT tenant FROM agentlog.analysts WHERE role = session_user),
        CASE
            WHEN has_table_privilege(session_user, 'agentlog.events', 'SELECT')
                OR pg_has_role(session_user, 'agentlog_service', 'MEMBER')
            THEN current_setting('agentlog.tenant', true)
        END
    )
$$;

-- Figures for the planner are the owner's to renew, and while a log is young the server is late.
CREATE FUNCTION agentlog.renew_figures() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    ANALYZE (SKIP_LOCKED) agentlog.events, agentlog.threads, agentlog.ledger, agentlog.blobs;
END
$$;
REVOKE EXECUTE ON FUNCTION agentlog.renew_figures() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION agentlog.renew_figures() TO agentlog_service;
