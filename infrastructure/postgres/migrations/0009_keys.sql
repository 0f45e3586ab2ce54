-- Keys: who may ask for what; and who asked, where reads are audited. See docs/security.md.

CREATE TABLE agentlog.keys (
    id            text COLLATE "C" PRIMARY KEY, -- no secret: it stands in events and in lists
    tenant        text COLLATE "C" NOT NULL,
    name          text        NOT NULL,
    scopes        text[]      NOT NULL
        CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'append', 'redact', 'admin']),
    secret_sha256 bytea       NOT NULL CHECK (length(secret_sha256) = 32),
    created_at    timestamptz NOT NULL,
    created_by    text,        -- id of a key; NULL: the command line, or before there was any key
    expires_at    timestamptz, -- NULL: never
    revoked_at    timestamptz,
    revoked_by    text         -- as created_by
);

CREATE INDEX keys_of_tenant ON agentlog.keys (tenant, id);

-- A key that was made once counts for ever: where it could vanish, the service would be open again.
CREATE FUNCTION agentlog.refuse_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.revoked_at IS NULL THEN
        OLD.revoked_at := NEW.revoked_at;
        OLD.revoked_by := NEW.revoked_by;
        IF OLD IS NOT DISTINCT FROM NEW THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION '% on agentlog.keys is refused: a key is revoked once, and stays on record', TG_OP
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER keys_only_revoked BEFORE UPDATE OR DELETE ON agentlog.keys
    FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_key_change();
CREATE TRIGGER keys_only_grow BEFORE TRUNCATE ON agentlog.keys
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();

CREATE TABLE agentlog.accesses (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant     text COLLATE "C" NOT NULL,
    at         timestamptz NOT NULL,
    key_id     text,          -- NULL: without a key, or with none that there is
    method     text NOT NULL,
    route      text NOT NULL, -- its template
    thread_id  text,
    status     integer NOT NULL,
    request_id text
);

CREATE INDEX accesses_of_tenant ON agentlog.accesses (tenant, number);

CREATE TRIGGER accesses_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON agentlog.accesses
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();

-- Only for the service itself: what a tenant's requests run as sees neither.
GRANT SELECT, INSERT, UPDATE (revoked_at, revoked_by) ON agentlog.keys TO agentlog_service;
GRANT SELECT, INSERT ON agentlog.accesses TO agentlog_service;
