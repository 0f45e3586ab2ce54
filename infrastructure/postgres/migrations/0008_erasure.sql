-- Erasure: a content goes, its hash and its place stay. See docs/erasure.md.

ALTER TABLE agentlog.events
    ADD COLUMN redacted bigint,       -- version of the thread.redacted that its content went by
    ADD COLUMN metadata_sha256 bytea; -- of the metadata that was, only where redacted

-- Which events refer to a blob is asked before it is deleted, and where a file is to be erased.
CREATE INDEX events_with_cuts ON agentlog.events (tenant, position) WHERE cuts IS NOT NULL;

-- The log only grows; what changes an event is looked at row by row.
DROP TRIGGER events_only_grow ON agentlog.events;
CREATE TRIGGER events_only_grow BEFORE DELETE OR TRUNCATE ON agentlog.events
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();

-- What a thread.redacted says, its reason apart: that may hold NUL, which json refuses to look past.
CREATE FUNCTION agentlog.redaction_in(body bytea) RETURNS json
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT regexp_replace(
        convert_from(body, 'UTF8'), '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g'
    )::json
$$;

-- The one change there is: content and metadata go, by a redaction that stands later in the thread and
-- names the message. After one that erased but a file, all of it may still go.
CREATE FUNCTION agentlog.allow_redaction() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fact json;
    before json;
BEGIN
    SELECT agentlog.redaction_in(body) INTO fact
    FROM agentlog.events
    WHERE tenant = OLD.tenant AND thread_id = OLD.thread_id AND version = NEW.redacted
        AND type = 'thread.redacted';
    SELECT agentlog.redaction_in(body) INTO before
    FROM agentlog.events
    WHERE tenant = OLD.tenant AND thread_id = OLD.thread_id AND version = OLD.redacted
        AND type = 'thread.redacted';
    IF fact IS NOT NULL
        AND OLD.type <> 'thread.redacted'
        AND NEW.redacted > OLD.version
        AND (OLD.redacted IS NULL OR NEW.redacted > OLD.redacted AND before -> 'blob' IS NOT NULL)
        AND (
            coalesce((fact -> 'all')::text = 'true', false)
            OR EXISTS (
                SELECT FROM json_array_elements(fact -> 'messages') AS named
                WHERE named::text = '"' || OLD.message_id || '"'
            )
        )
        AND (
            NEW.cuts IS NULL
            OR fact -> 'blob' IS NOT NULL AND length(NEW.cuts) < length(OLD.cuts)
        )
        AND NEW.metadata_sha256
            = coalesce(OLD.metadata_sha256, sha256(coalesce(OLD.metadata, '')))
        AND (
            NEW.tenant, NEW.thread_id, NEW.version, NEW.position, NEW.type, NEW.message_id,
            NEW.recorded_at, NEW.body_sha256, NEW.chain
        ) IS NOT DISTINCT FROM (
            OLD.tenant, OLD.thread_id, OLD.version, OLD.position, OLD.type, OLD.message_id,
            OLD.recorded_at, OLD.body_sha256, OLD.chain
        )
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION
        'UPDATE on agentlog.events is refused: the log only grows; content goes by a redaction'
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER events_only_redacted BEFORE UPDATE ON agentlog.events
    FOR EACH ROW EXECUTE FUNCTION agentlog.allow_redaction();

-- What is to be done for each redaction, noted where it is appended: whoever dies before it is done
-- leaves it to the next.
CREATE TABLE agentlog.erasures (
    tenant    text COLLATE "C" NOT NULL,
    thread_id text COLLATE "C" NOT NULL,
    version   bigint NOT NULL, -- of the thread.redacted
    position  bigint NOT NULL, -- of the same
    number    bigint UNIQUE,   -- counts those that are done, in the order of their commits
    done_at   timestamptz,
    PRIMARY KEY (tenant, thread_id, version),
    CHECK ((number IS NULL) = (done_at IS NULL))
);

CREATE INDEX erasures_to_do ON agentlog.erasures (position) WHERE number IS NULL;

CREATE FUNCTION agentlog.note_erasure() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO agentlog.erasures (tenant, thread_id, version, position)
    VALUES (NEW.tenant, NEW.thread_id, NEW.version, NEW.position);
    RETURN NULL;
END
$$;

CREATE TRIGGER events_note_erasure AFTER INSERT ON agentlog.events
    FOR EACH ROW WHEN (NEW.type = 'thread.redacted') EXECUTE FUNCTION agentlog.note_erasure();

-- By the owner's rights, which the service has not: it cannot change an event but through here, and
-- the trigger above sees to the rest.
CREATE FUNCTION agentlog.redact_events(
    of_tenant text, of_thread text, by_version bigint,
    versions bigint[], bodies bytea[], new_cuts bytea[], new_metadata bytea[]
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed bigint;
BEGIN
    UPDATE agentlog.events AS old
    SET redacted = by_version,
        body = new.body,
        cuts = new.cuts,
        metadata = new.metadata,
        metadata_sha256 = coalesce(old.metadata_sha256, sha256(coalesce(old.metadata, '')))
    FROM unnest(versions, bodies, new_cuts, new_metadata) AS new (version, body, cuts, metadata)
    WHERE old.tenant = of_tenant AND old.thread_id = of_thread AND old.version = new.version;
    GET DIAGNOSTICS changed = ROW_COUNT;
    RETURN changed;
END
$$;

CREATE FUNCTION agentlog.finish_erasure(of_tenant text, of_thread text, by_version bigint)
RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE agentlog.erasures
    SET number = (SELECT coalesce(max(number), 0) + 1 FROM agentlog.erasures),
        done_at = clock_timestamp()
    WHERE tenant = of_tenant AND thread_id = of_thread AND version = by_version
        AND number IS NULL
    RETURNING number
$$;

REVOKE EXECUTE ON FUNCTION
    agentlog.redact_events(text, text, bigint, bigint[], bytea[], bytea[], bytea[]),
    agentlog.finish_erasure(text, text, bigint)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    agentlog.redact_events(text, text, bigint, bigint[], bytea[], bytea[], bytea[]),
    agentlog.finish_erasure(text, text, bigint)
    TO agentlog_service;

GRANT SELECT ON agentlog.erasures TO agentlog_service, agentlog_tenant;
GRANT DELETE ON agentlog.blobs TO agentlog_service;

ALTER TABLE agentlog.erasures ENABLE ROW LEVEL SECURITY;
CREATE POLICY every_tenant ON agentlog.erasures TO agentlog_service USING (true);
CREATE POLICY own_tenant ON agentlog.erasures TO agentlog_tenant
    USING (tenant = (SELECT current_setting('agentlog.tenant', true)));

-- Where analysts were kept from locks and notifications, the service was kept from them too.
DO $$
DECLARE
    called regprocedure;
BEGIN
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        FOR called IN
            SELECT oid FROM pg_proc
            WHERE pronamespace = 'pg_catalog'::regnamespace
                AND (proname ~ '^pg_(try_)?advisory_' OR proname = 'pg_notify')
        LOOP
            EXECUTE format(
                'GRANT EXECUTE ON FUNCTION %s TO agentlog_service, agentlog_tenant', called
            );
        END LOOP;
    END IF;
END
$$;

-- What analysts see of the log says where a content was erased; the body is a skeleton there.
CREATE OR REPLACE VIEW agentlog_analytics.events WITH (security_barrier) AS
SELECT
    tenant,
    thread_id,
    version,
    position,
    type,
    message_id,
    recorded_at,
    convert_from(
        CASE WHEN cuts IS NULL THEN body ELSE (
            SELECT string_agg(
                substr(body, before + 1, place - before) || coalesce(
                    CASE WHEN in_base64
                    THEN convert_to(translate(encode(content, 'base64'), E'\n', ''), 'UTF8')
                    ELSE content END,
                    ''
                ),
                '' ORDER BY cut
            ) || substr(body, max(place) + 1)
            FROM (
                SELECT
                    cut,
                    head & 2147483647 AS place,
                    coalesce(lag(head & 2147483647) OVER (ORDER BY cut), 0) AS before,
                    head < 0 AS in_base64,
                    (
                        SELECT string_agg(piece.content, '' ORDER BY piece.piece)
                        FROM agentlog.blobs AS piece
                        WHERE piece.tenant = events.tenant
                            AND piece.sha256 = substr(cuts, cut * 36 + 5, 32)
                    ) AS content
                FROM generate_series(0, length(cuts) / 36 - 1) AS cut
                CROSS JOIN LATERAL (
                    SELECT ('x' || encode(substr(cuts, cut * 36 + 1, 4), 'hex'))::bit(32)::integer
                ) AS heads (head)
            ) AS parts
        ) END,
        'UTF8'
    ) AS body,
    convert_from(metadata, 'UTF8') AS metadata,
    redacted
FROM agentlog.events
WHERE tenant = (SELECT agentlog_analytics.tenant());

COMMENT ON COLUMN agentlog_analytics.events.redacted IS
    'version of the redaction that erased the content, NULL where it is as it was appended';
