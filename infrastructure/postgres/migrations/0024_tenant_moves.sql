-- Tenants that moved between databases: a row a step, and the last of a tenant says who owns it. See
-- infrastructure/moves and docs/how-to/scale.md.
CREATE TABLE agentlog.moves (
    tenant         text COLLATE "C" NOT NULL,
    number         bigint      NOT NULL CHECK (number > 0), -- counts up with each step
    step           text COLLATE "C" NOT NULL
        CHECK (step IN ('fenced', 'released', 'arrived', 'left', 'dropped')),
    move_id        text COLLATE "C" NOT NULL, -- ULID, the same at both ends
    other          text        NOT NULL, -- the other database: host:port/name
    events         bigint      NOT NULL, -- of the tenant
    first_position bigint      NOT NULL, -- of these events; 0 where there are none
    last_position  bigint      NOT NULL,
    counter_before bigint      NOT NULL, -- position of this database's counter
    counter_after  bigint      NOT NULL, -- beyond the positions that an arrived tenant brings along
    recorded_at    timestamptz NOT NULL, -- the counter's time after the step
    taken          int8multirange NOT NULL, -- positions of this database that went with it
    root           bytea       NOT NULL, -- of the tree over the events
    note           text        NOT NULL, -- all of the above, signed
    public_key     bytea       NOT NULL, -- Ed25519, 32 bytes
    made_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, number)
);

CREATE TRIGGER moves_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON agentlog.moves
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();

-- Only the owner writes it: who explains a gap is not who may make one.
GRANT SELECT ON agentlog.moves TO agentlog_service, agentlog_tenant;
ALTER TABLE agentlog.moves ENABLE ROW LEVEL SECURITY;
CREATE POLICY every_tenant ON agentlog.moves TO agentlog_service USING (true);
CREATE POLICY own_tenant ON agentlog.moves TO agentlog_tenant
    USING (tenant = (SELECT current_setting('agentlog.tenant', true)));

-- The other database of a tenant that is not this one's now, and whether it may stay here yet.
CREATE FUNCTION agentlog.elsewhere(of_tenant text, OUT other text, OUT step text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT other, step
    FROM (
        SELECT other, step FROM agentlog.moves
        WHERE tenant = of_tenant ORDER BY number DESC LIMIT 1
    ) AS last
    WHERE step NOT IN ('released', 'arrived')
$$;
REVOKE EXECUTE ON FUNCTION agentlog.elsewhere(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION agentlog.elsewhere(text) TO agentlog_service, agentlog_tenant;

-- The service writes nothing of a tenant that is moving or has moved. An append has locked the counter
-- before it, and so has who fences, so that each append is before the fence or refused.
CREATE FUNCTION agentlog.refuse_elsewhere() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place record;
BEGIN
    IF current_user IN ('agentlog_service', 'agentlog_tenant')
        AND EXISTS (SELECT FROM agentlog.moves WHERE tenant = NEW.tenant)
    THEN
        SELECT * INTO place FROM agentlog.elsewhere(NEW.tenant);
        IF place.step IS NOT NULL THEN
            RAISE EXCEPTION '%', place.step USING ERRCODE = 'AG001', DETAIL = place.other,
                HINT = NEW.tenant;
        END IF;
    END IF;
    RETURN NEW;
END
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'threads', 'blobs', 'checkpoints', 'keys', 'imports', 'definitions', 'subscriptions'
    ] LOOP
        EXECUTE format(
            'CREATE TRIGGER %1$s_owned_here BEFORE INSERT OR UPDATE ON agentlog.%1$I '
            'FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_elsewhere()',
            name
        );
    END LOOP;
END
$$;

-- Rows of the log go where their tenant was dropped after it had left, and nowhere else.
CREATE FUNCTION agentlog.refuse_loss() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (agentlog.elsewhere(OLD.tenant)).step IS NOT DISTINCT FROM 'dropped' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% on agentlog.% is refused: the log only grows', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

DROP TRIGGER events_only_grow ON agentlog.events;
CREATE TRIGGER events_only_grow BEFORE DELETE ON agentlog.events
    FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_loss();
CREATE TRIGGER events_only_whole BEFORE TRUNCATE ON agentlog.events
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();
DROP TRIGGER checkpoints_only_grow ON agentlog.checkpoints;
CREATE TRIGGER checkpoints_only_grow BEFORE DELETE ON agentlog.checkpoints
    FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_loss();
CREATE TRIGGER checkpoints_only_whole BEFORE UPDATE OR TRUNCATE ON agentlog.checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();

-- Whose keys may be known to a service is read with them.
CREATE FUNCTION agentlog.note_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('agentlog_keyed', '');
    RETURN NULL;
END
$$;
CREATE TRIGGER moves_note_step AFTER INSERT ON agentlog.moves
    FOR EACH ROW EXECUTE FUNCTION agentlog.note_step();
