-- A database of agentlog 0.25, as `pg_dump --schema-only` printed it, with the rows that its migrations leave.
-- Only test_migration.py reads it.
SET check_function_bodies = false; -- they name tables that come later
CREATE SCHEMA agentlog;
CREATE SCHEMA agentlog_analytics;
CREATE SCHEMA agentlog_readmodels;
CREATE FUNCTION agentlog.allow_redaction() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
            NEW.recorded_at, NEW.body_sha256, NEW.left_sha256, NEW.chain,
            NEW.origin_version
        ) IS NOT DISTINCT FROM (
            OLD.tenant, OLD.thread_id, OLD.version, OLD.position, OLD.type, OLD.message_id,
            OLD.recorded_at, OLD.body_sha256, OLD.left_sha256, OLD.chain,
            OLD.origin_version
        )
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION
        'UPDATE on agentlog.events is refused: the log only grows; content goes by a redaction'
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE FUNCTION agentlog.body_of(tenant text, body bytea, cuts bytea) RETURNS bytea
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $$
DECLARE
    whole bytea := '';
    done integer := 0;
    place bigint;
    digest bytea;
    found bytea;
BEGIN
    FOR cut IN 0 .. coalesce(length(cuts), 0) / 36 - 1 LOOP
        place := ('x' || encode(substr(cuts, cut * 36 + 1, 4), 'hex'))::bit(32)::bigint;
        digest := substr(body_of.cuts, cut * 36 + 5, 32);
        SELECT string_agg(content, '' ORDER BY piece)
        INTO found
        FROM agentlog.blobs
        WHERE blobs.tenant = body_of.tenant AND sha256 = digest;
        IF found IS NULL OR sha256(found) <> digest THEN
            found := convert_to(
                '[content missing: sha256 ' || encode(digest, 'hex') || ']', 'UTF8'
            );
        END IF;
        IF place >= 2147483648 THEN
            place := place - 2147483648;
            found := convert_to(translate(encode(found, 'base64'), E'\n', ''), 'UTF8');
        END IF;
        whole := whole || substr(body, done + 1, greatest(place::integer - done, 0)) || found;
        done := place;
    END LOOP;
    RETURN whole || substr(body, done + 1);
END
$$;
CREATE FUNCTION agentlog.check_head() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM
    FROM agentlog.events
    WHERE tenant = NEW.tenant
        AND thread_id = NEW.thread_id
        AND version = NEW.version
        AND position = NEW.position
        AND chain = NEW.chain;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% on agentlog.threads is refused: the log has no such event', TG_OP
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION agentlog.content_of(thread_id text, goal text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    -- the collation of the database, not that of the id
    SELECT lower(concat_ws(' ', thread_id, left(goal, 4000)) COLLATE "default")
$$;
CREATE FUNCTION agentlog.delete_unreferenced(of_tenant text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    seen bigint := (SELECT position FROM agentlog.counter);
    free bytea[] := (SELECT array_agg(sha256) FROM agentlog.loose_blobs WHERE tenant = of_tenant);
BEGIN
    free := agentlog.unreferenced(of_tenant, free, 0);
    IF free IS NOT NULL THEN
        PERFORM FROM agentlog.counter FOR UPDATE;
        free := agentlog.unreferenced(of_tenant, free, seen);
        DELETE FROM agentlog.blobs WHERE tenant = of_tenant AND sha256 = ANY (free);
    END IF;
    DELETE FROM agentlog.loose_blobs WHERE tenant = of_tenant;
END
$$;
CREATE FUNCTION agentlog.elsewhere(of_tenant text, OUT other text, OUT step text) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT other, step
    FROM (
        SELECT other, step FROM agentlog.moves
        WHERE tenant = of_tenant ORDER BY number DESC LIMIT 1
    ) AS last
    WHERE step NOT IN ('released', 'arrived')
$$;
CREATE FUNCTION agentlog.finish_erasure(of_tenant text, of_thread text, by_version bigint) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    UPDATE agentlog.erasures
    SET number = 1 + greatest(
            (SELECT coalesce(max(number), 0) FROM agentlog.erasures),
            (SELECT coalesce(max(erasures), 0) FROM agentlog.moves)
        ),
        done_at = clock_timestamp()
    WHERE tenant = of_tenant AND thread_id = of_thread AND version = by_version
        AND number IS NULL
    RETURNING number
$$;
CREATE FUNCTION agentlog.forget_facts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM agentlog.thread_search WHERE tenant = OLD.tenant AND thread_id = OLD.thread_id;
    RETURN NULL;
END
$$;
CREATE FUNCTION agentlog.lexemes_of(tenant text, content text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT array_to_tsvector(array_append(agentlog.words_of(content), ' ' || md5(tenant)))
$$;
CREATE FUNCTION agentlog.links(recorded_at timestamp with time zone, chains bytea[], follows bigint[], befores bytea[], afters bytea[]) RETURNS bytea[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    microseconds text := (extract(epoch FROM recorded_at) * 1000000)::bigint;
    time bytea := convert_to(length(microseconds) || ':' || microseconds, 'UTF8');
BEGIN
    FOR number IN 1 .. cardinality(chains) LOOP
        chains[number] := sha256(
            '16:agentlog-chain-132:'::bytea || chains[coalesce(follows[number], number)]
            || befores[number] || time || afters[number]
        );
    END LOOP;
    RETURN chains;
END
$$;
CREATE FUNCTION agentlog.note_erasure() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO agentlog.erasures (tenant, thread_id, version, position)
    VALUES (NEW.tenant, NEW.thread_id, NEW.version, NEW.position);
    RETURN NULL;
END
$$;
CREATE FUNCTION agentlog.note_facts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    found text := agentlog.content_of(NEW.thread_id, NEW.goal);
BEGIN
    INSERT INTO agentlog.thread_search (
        tenant, thread_id, position, status, parent, content, words, metadata
    )
    VALUES (
        NEW.tenant,
        NEW.thread_id,
        NEW.position,
        NEW.status,
        NEW.parent,
        found,
        agentlog.lexemes_of(NEW.tenant, found),
        agentlog.scalars_of(NEW.facts, 1000)
    )
    ON CONFLICT (tenant, thread_id) DO UPDATE SET
        position = excluded.position,
        status = excluded.status,
        parent = excluded.parent,
        content = excluded.content,
        words = excluded.words,
        metadata = excluded.metadata;
    RETURN NULL;
END
$$;
CREATE FUNCTION agentlog.note_move() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE agentlog.thread_search
    SET position = NEW.position, status = NEW.status
    WHERE tenant = NEW.tenant AND thread_id = NEW.thread_id;
    RETURN NULL;
END
$$;
CREATE FUNCTION agentlog.note_step() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    PERFORM pg_notify('agentlog_keyed', '');
    RETURN NULL;
END
$$;
CREATE FUNCTION agentlog.parts_of(search text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT ARRAY(
        SELECT '%' || regexp_replace(part, '[\\%_]', '\\\&', 'g') || '%'
        FROM regexp_split_to_table(lower(search COLLATE "default"), '\s+') AS part
    )
$$;
CREATE FUNCTION agentlog.redact_events(of_tenant text, of_thread text, by_version bigint, versions bigint[], bodies bytea[], new_cuts bytea[], new_metadata bytea[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    changed bigint;
BEGIN
    INSERT INTO agentlog.loose_blobs (tenant, sha256)
    SELECT DISTINCT of_tenant, substr(cuts, cut * 36 + 5, 32)
    FROM agentlog.events
    CROSS JOIN LATERAL generate_series(0, length(cuts) / 36 - 1) AS cut
    WHERE tenant = of_tenant AND thread_id = of_thread AND version = ANY (versions)
        AND cuts IS NOT NULL
    ON CONFLICT DO NOTHING;
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
CREATE FUNCTION agentlog.redaction_in(body bytea) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT regexp_replace(
        convert_from(body, 'UTF8'), '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g'
    )::json
$$;
CREATE FUNCTION agentlog.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% on agentlog.% is refused: the log only grows', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE FUNCTION agentlog.refuse_elsewhere() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION agentlog.refuse_key_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION agentlog.refuse_loss() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF (agentlog.elsewhere(OLD.tenant)).step IS NOT DISTINCT FROM 'dropped' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% on agentlog.% is refused: the log only grows', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE FUNCTION agentlog.renew_figures() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    ANALYZE (SKIP_LOCKED) agentlog.events, agentlog.threads, agentlog.ledger, agentlog.blobs;
END
$$;
CREATE FUNCTION agentlog.scalar_of(value json) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT CASE
        WHEN json_typeof(value) <> 'number'
            OR (length(value::text) <= 1000 AND value::text !~ '[eE][+-]?[0-9]{4}')
        THEN value::jsonb
        ELSE to_jsonb(value::text)
    END
$$;
CREATE FUNCTION agentlog.scalars_of(facts bytea, longest integer) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    given text;
BEGIN
    given := convert_from(facts, 'UTF8');
    RETURN (
        SELECT coalesce(jsonb_object_agg(key, agentlog.scalar_of(value)), '{}')
        FROM json_each(
            CASE
                WHEN strpos(given, '\u0000') = 0 THEN given
                ELSE regexp_replace(given, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g')
            END::json -> 'metadata'
        )
        WHERE json_typeof(value) NOT IN ('object', 'array') AND length(value::text) <= longest
    );
EXCEPTION
    WHEN invalid_text_representation OR untranslatable_character OR character_not_in_repertoire
        OR invalid_parameter_value OR statement_too_complex
    THEN
        RETURN '{}';
END
$$;
CREATE FUNCTION agentlog.unreferenced(of_tenant text, digests bytea[], beyond bigint) RETURNS bytea[]
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT array_agg(digest)
    FROM unnest(digests) AS digest
    WHERE digest NOT IN (
        SELECT substr(cuts, cut * 36 + 5, 32)
        FROM agentlog.events
        CROSS JOIN LATERAL generate_series(0, length(cuts) / 36 - 1) AS cut
        WHERE tenant = of_tenant AND position > beyond AND cuts IS NOT NULL
    )
$$;
CREATE FUNCTION agentlog.value_in(body bytea, path text[]) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    given text := convert_from(body, 'UTF8');
    value json;
BEGIN
    value := CASE
        WHEN strpos(given, '\u0000') = 0 THEN given
        ELSE regexp_replace(given, '(?<!\\)((?:\\\\)*)\\u0000', '\1\ufffd', 'g')
    END::json #> path;
    RETURN CASE
        WHEN json_typeof(value) NOT IN ('object', 'array') THEN agentlog.scalar_of(value)
    END;
EXCEPTION
    WHEN data_exception OR statement_too_complex THEN
        RETURN NULL;
END
$$;
CREATE FUNCTION agentlog.words_of(content text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT array_remove(
        regexp_split_to_array(
            regexp_replace(
                content COLLATE "default",
                '[^[:alnum:][:space:]]'
                '|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]'
                '|[[:alnum:]]{64}',
                ' \& ',
                'g'
            ),
            '\s+'
        ),
        ''
    )
$$;
CREATE FUNCTION agentlog.words_query(tenant text, search text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT array_to_string(
        ARRAY(
            SELECT '''' || replace(replace(word, '\', '\\'), '''', '''''') || ''''
                || CASE WHEN place = cardinality(words) THEN ':*' ELSE '' END
            FROM regexp_split_to_table(lower(search COLLATE "default"), '\s+') AS part
            CROSS JOIN LATERAL agentlog.words_of(part) AS words
            CROSS JOIN LATERAL unnest(words) WITH ORDINALITY AS each (word, place)
        ) || ('''' || ' ' || md5(tenant) || ''''),
        ' & '
    )::tsquery
$$;
CREATE FUNCTION agentlog_analytics.tenant() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT coalesce(
        (SELECT tenant FROM agentlog.analysts WHERE role = session_user),
        CASE
            WHEN has_table_privilege(session_user, 'agentlog.events', 'SELECT')
                OR pg_has_role(session_user, 'agentlog_service', 'MEMBER')
            THEN current_setting('agentlog.tenant', true)
        END
    )
$$;
CREATE TABLE agentlog.accesses (
    number bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    key_id text,
    method text NOT NULL,
    route text NOT NULL,
    thread_id text,
    status integer NOT NULL,
    request_id text
);
ALTER TABLE agentlog.accesses ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME agentlog.accesses_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE agentlog.analysts (
    role text NOT NULL COLLATE pg_catalog."C",
    tenant text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE agentlog.blobs (
    tenant text NOT NULL COLLATE pg_catalog."C",
    sha256 bytea NOT NULL,
    piece integer NOT NULL,
    content bytea NOT NULL
);
ALTER TABLE ONLY agentlog.blobs ALTER COLUMN content SET STATISTICS 0;
CREATE TABLE agentlog.checkpoints (
    tenant text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    "position" bigint NOT NULL,
    root bytea NOT NULL,
    note text NOT NULL,
    public_key bytea NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE agentlog.counter (
    only_row boolean DEFAULT true NOT NULL,
    "position" bigint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT counter_only_row_check CHECK (only_row)
)
WITH (fillfactor='10');
CREATE TABLE agentlog.definitions (
    tenant text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    value text,
    set_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    set_by text,
    CONSTRAINT definitions_kind_check CHECK ((kind = ANY (ARRAY['rule'::text, 'filter'::text])))
);
CREATE TABLE agentlog.deliveries (
    tenant text NOT NULL COLLATE pg_catalog."C",
    subscription text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    "position" bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    thread_id text NOT NULL COLLATE pg_catalog."C",
    notice bytea,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    lease text,
    error text,
    parked_at timestamp with time zone
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000');
ALTER TABLE agentlog.deliveries ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME agentlog.deliveries_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE agentlog.erasures (
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread_id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    "position" bigint NOT NULL,
    number bigint,
    done_at timestamp with time zone,
    CONSTRAINT erasures_check CHECK (((number IS NULL) = (done_at IS NULL)))
);
CREATE TABLE agentlog.events (
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread_id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    "position" bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    message_id text NOT NULL COLLATE pg_catalog."C",
    recorded_at timestamp with time zone NOT NULL,
    body bytea NOT NULL,
    body_sha256 bytea NOT NULL,
    chain bytea NOT NULL,
    metadata bytea,
    cuts bytea,
    redacted bigint,
    metadata_sha256 bytea,
    left_sha256 bytea,
    origin_version bigint
);
ALTER TABLE ONLY agentlog.events ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE ONLY agentlog.events ALTER COLUMN body_sha256 SET STATISTICS 0;
ALTER TABLE ONLY agentlog.events ALTER COLUMN chain SET STATISTICS 0;
ALTER TABLE ONLY agentlog.events ALTER COLUMN metadata SET STATISTICS 0;
COMMENT ON COLUMN agentlog.events.body IS 'the message as JSON, less what was cut out of it: use agentlog.body_of(tenant, body, cuts)';
CREATE VIEW agentlog.events_in_blocks AS
 SELECT tenant,
    thread_id,
    version,
    "position",
    type,
    message_id,
    recorded_at,
    body,
    metadata,
    cuts,
    redacted,
    (version >> 6) AS block,
    origin_version
   FROM agentlog.events
  WHERE ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)) OR ( SELECT pg_has_role('agentlog_service'::name, 'MEMBER'::text) AS pg_has_role));
CREATE TABLE agentlog.imports (
    tenant text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    after bigint NOT NULL,
    upto bigint,
    paths text[] NOT NULL,
    threads bigint DEFAULT 0 NOT NULL,
    events bigint DEFAULT 0 NOT NULL,
    grown text[] DEFAULT '{}'::text[] NOT NULL
);
CREATE TABLE agentlog.keys (
    id text NOT NULL COLLATE pg_catalog."C",
    tenant text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    scopes text[] NOT NULL,
    secret_sha256 bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by text,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    revoked_by text,
    CONSTRAINT keys_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['read'::text, 'append'::text, 'redact'::text, 'admin'::text, 'metrics'::text]))),
    CONSTRAINT keys_secret_sha256_check CHECK ((length(secret_sha256) = 32))
);
CREATE TABLE agentlog.ledger (
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    id_sha256 bytea NOT NULL,
    asked bigint NOT NULL,
    answered bigint
);
CREATE TABLE agentlog.loose_blobs (
    tenant text NOT NULL COLLATE pg_catalog."C",
    sha256 bytea NOT NULL
);
CREATE TABLE agentlog.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE agentlog.moves (
    tenant text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    step text NOT NULL COLLATE pg_catalog."C",
    move_id text NOT NULL COLLATE pg_catalog."C",
    other text NOT NULL,
    events bigint NOT NULL,
    first_position bigint NOT NULL,
    last_position bigint NOT NULL,
    counter_before bigint NOT NULL,
    counter_after bigint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    taken int8multirange NOT NULL,
    root bytea NOT NULL,
    note text NOT NULL,
    public_key bytea NOT NULL,
    made_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    erasures bigint DEFAULT 0 NOT NULL,
    CONSTRAINT moves_number_check CHECK ((number > 0)),
    CONSTRAINT moves_step_check CHECK ((step = ANY (ARRAY['fenced'::text, 'released'::text, 'arrived'::text, 'left'::text, 'dropped'::text])))
);
CREATE TABLE agentlog.projections (
    name text NOT NULL COLLATE pg_catalog."C",
    build integer NOT NULL,
    version integer NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    paused boolean DEFAULT false NOT NULL,
    stopped_at bigint,
    error text,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    live_at timestamp with time zone,
    CONSTRAINT projections_check CHECK (((stopped_at IS NULL) = (error IS NULL))),
    CONSTRAINT projections_state_check CHECK ((state = ANY (ARRAY['building'::text, 'live'::text])))
);
CREATE TABLE agentlog.snapshots (
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread_id text NOT NULL COLLATE pg_catalog."C",
    view text NOT NULL COLLATE pg_catalog."C",
    options text NOT NULL COLLATE pg_catalog."C",
    format text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    carry bytea,
    grown bytea,
    items bytea
);
ALTER TABLE ONLY agentlog.snapshots ALTER COLUMN carry SET STORAGE EXTERNAL;
ALTER TABLE ONLY agentlog.snapshots ALTER COLUMN grown SET STORAGE EXTERNAL;
ALTER TABLE ONLY agentlog.snapshots ALTER COLUMN items SET STORAGE EXTERNAL;
CREATE TABLE agentlog.subscriptions (
    tenant text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    types text[],
    threads text COLLATE pg_catalog."C",
    metadata bytea,
    "position" bigint NOT NULL,
    max_attempts integer NOT NULL,
    url text,
    content boolean DEFAULT false NOT NULL,
    secret bytea,
    paused_at timestamp with time zone,
    paused_why text,
    failing_since timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by text,
    CONSTRAINT subscriptions_check CHECK (((url IS NULL) = (secret IS NULL))),
    CONSTRAINT subscriptions_max_attempts_check CHECK ((max_attempts > 0))
);
CREATE TABLE agentlog.thread_search (
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread_id text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    status text NOT NULL,
    parent text COLLATE pg_catalog."C",
    content text NOT NULL,
    words tsvector NOT NULL,
    metadata jsonb NOT NULL
)
WITH (fillfactor='80');
ALTER TABLE ONLY agentlog.thread_search ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE ONLY agentlog.thread_search ALTER COLUMN words SET STATISTICS 0;
ALTER TABLE ONLY agentlog.thread_search ALTER COLUMN metadata SET STATISTICS 0;
CREATE TABLE agentlog.threads (
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread_id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    "position" bigint NOT NULL,
    chain bytea NOT NULL,
    policy text NOT NULL,
    status text NOT NULL,
    anomalies bigint NOT NULL,
    parent text COLLATE pg_catalog."C",
    goal text,
    facts bytea,
    started_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    hidden boolean DEFAULT false NOT NULL,
    origin text COLLATE pg_catalog."C"
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='5000');
ALTER TABLE ONLY agentlog.threads ALTER COLUMN chain SET STATISTICS 0;
ALTER TABLE ONLY agentlog.threads ALTER COLUMN goal SET STATISTICS 0;
ALTER TABLE ONLY agentlog.threads ALTER COLUMN facts SET STATISTICS 0;
CREATE TABLE agentlog.tiles (
    tenant text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    root bytea NOT NULL,
    last_position bigint NOT NULL
);
CREATE TABLE agentlog.tracking (
    application_name text NOT NULL COLLATE pg_catalog."C",
    notification_id bigint NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
CREATE VIEW agentlog_analytics.events WITH (security_barrier='true') AS
 SELECT tenant,
    thread_id,
    version,
    "position",
    type,
    message_id,
    recorded_at,
    convert_from(
        CASE
            WHEN (COALESCE(length(cuts), 0) < 36) THEN body
            ELSE ( SELECT (string_agg((substr(events.body, (parts.before + 1), GREATEST((parts.place - parts.before), 0)) ||
                    CASE
                        WHEN parts.in_base64 THEN convert_to(translate(encode(parts.found, 'base64'::text), '
'::text, ''::text), 'UTF8'::name)
                        ELSE parts.found
                    END), '\x'::bytea ORDER BY parts.cut) || substr(events.body, (max(parts.place) + 1)))
               FROM ( SELECT cut_out.cut,
                        (cut_out.head & 2147483647) AS place,
                        COALESCE(lag((cut_out.head & 2147483647)) OVER (ORDER BY cut_out.cut), 0) AS before,
                        (cut_out.head < 0) AS in_base64,
                            CASE
                                WHEN (sha256(cut_out.content) = cut_out.digest) THEN cut_out.content
                                ELSE convert_to((('[content missing: sha256 '::text || encode(cut_out.digest, 'hex'::text)) || ']'::text), 'UTF8'::name)
                            END AS found
                       FROM ( SELECT cut.cut,
                                ((('x'::text || encode(substr(events.cuts, ((cut.cut * 36) + 1), 4), 'hex'::text)))::bit(32))::integer AS head,
                                substr(events.cuts, ((cut.cut * 36) + 5), 32) AS digest,
                                ( SELECT string_agg(piece.content, '\x'::bytea ORDER BY piece.piece) AS string_agg
                                       FROM agentlog.blobs piece
                                      WHERE ((piece.tenant = events.tenant) AND (piece.sha256 = substr(events.cuts, ((cut.cut * 36) + 5), 32)))) AS content
                               FROM generate_series(0, ((length(events.cuts) / 36) - 1)) cut(cut)) cut_out) parts)
        END, 'UTF8'::name) AS body,
    convert_from(metadata, 'UTF8'::name) AS metadata,
    redacted,
    origin_version
   FROM agentlog.events
  WHERE (tenant = ( SELECT agentlog_analytics.tenant() AS tenant));
COMMENT ON VIEW agentlog_analytics.events IS 'One row an event of the log, as it was appended: what all other tables are made of.';
COMMENT ON COLUMN agentlog_analytics.events.tenant IS 'whose thread it is';
COMMENT ON COLUMN agentlog_analytics.events.thread_id IS 'the thread';
COMMENT ON COLUMN agentlog_analytics.events.version IS 'place in the thread, from 1';
COMMENT ON COLUMN agentlog_analytics.events."position" IS 'place in the log, in the order of commits';
COMMENT ON COLUMN agentlog_analytics.events.type IS 'such as reply or tool_calls';
COMMENT ON COLUMN agentlog_analytics.events.message_id IS 'ULID';
COMMENT ON COLUMN agentlog_analytics.events.recorded_at IS 'when the log took it, by the store''s clock';
COMMENT ON COLUMN agentlog_analytics.events.body IS 'the message as JSON text; a member is body::json ->> ''text'', which fails where that holds NUL';
COMMENT ON COLUMN agentlog_analytics.events.metadata IS 'the metadata as JSON text, NULL where there is none';
COMMENT ON COLUMN agentlog_analytics.events.redacted IS 'version of the redaction that erased the content, NULL where it is as it was appended';
COMMENT ON COLUMN agentlog_analytics.events.origin_version IS 'of an event that a fork made: the version of its origin that it was copied from; else NULL';
CREATE VIEW agentlog_analytics.progress WITH (security_barrier='true') AS
 SELECT name,
    "position"
   FROM ( SELECT ('events' COLLATE "C") AS name,
            counter."position"
           FROM agentlog.counter
        UNION ALL
         SELECT live.name,
            tracking.notification_id
           FROM (agentlog.projections live
             JOIN agentlog.tracking tracking ON ((tracking.application_name = ((live.name || '.'::text) || live.build))))
          WHERE ((live.state = 'live'::text) AND (to_regclass(('agentlog_analytics.'::text || quote_ident(live.name))) IS NOT NULL))) tables
  WHERE (( SELECT agentlog_analytics.tenant() AS tenant) IS NOT NULL);
COMMENT ON VIEW agentlog_analytics.progress IS 'One row a table of those here: how much of the log is in it.';
COMMENT ON COLUMN agentlog_analytics.progress.name IS 'the table';
COMMENT ON COLUMN agentlog_analytics.progress."position" IS 'every event up to this place in the log is in the table, and none after it';
ALTER TABLE ONLY agentlog.accesses
    ADD CONSTRAINT accesses_pkey PRIMARY KEY (number);
ALTER TABLE ONLY agentlog.analysts
    ADD CONSTRAINT analysts_pkey PRIMARY KEY (role);
ALTER TABLE ONLY agentlog.blobs
    ADD CONSTRAINT blobs_pkey PRIMARY KEY (tenant, sha256, piece);
ALTER TABLE ONLY agentlog.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (tenant, size);
ALTER TABLE ONLY agentlog.counter
    ADD CONSTRAINT counter_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY agentlog.definitions
    ADD CONSTRAINT definitions_pkey PRIMARY KEY (tenant, kind, name, number);
ALTER TABLE ONLY agentlog.deliveries
    ADD CONSTRAINT deliveries_once UNIQUE (tenant, subscription, "position", type);
ALTER TABLE ONLY agentlog.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (tenant, subscription, number);
ALTER TABLE ONLY agentlog.erasures
    ADD CONSTRAINT erasures_number_key UNIQUE (number);
ALTER TABLE ONLY agentlog.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (tenant, thread_id, version);
ALTER TABLE ONLY agentlog.events
    ADD CONSTRAINT events_message_id_once UNIQUE (tenant, thread_id, message_id);
ALTER TABLE ONLY agentlog.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (tenant, thread_id, version);
ALTER TABLE ONLY agentlog.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (tenant, id);
ALTER TABLE ONLY agentlog.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY agentlog.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (tenant, thread_id, kind, id_sha256);
ALTER TABLE ONLY agentlog.loose_blobs
    ADD CONSTRAINT loose_blobs_pkey PRIMARY KEY (tenant, sha256);
ALTER TABLE ONLY agentlog.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);
ALTER TABLE ONLY agentlog.moves
    ADD CONSTRAINT moves_pkey PRIMARY KEY (tenant, number);
ALTER TABLE ONLY agentlog.projections
    ADD CONSTRAINT projections_pkey PRIMARY KEY (name, build);
ALTER TABLE ONLY agentlog.snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (tenant, thread_id, view, options, format, version);
ALTER TABLE ONLY agentlog.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (tenant, name);
ALTER TABLE ONLY agentlog.thread_search
    ADD CONSTRAINT thread_search_pkey PRIMARY KEY (tenant, thread_id);
ALTER TABLE ONLY agentlog.threads
    ADD CONSTRAINT threads_pkey PRIMARY KEY (tenant, thread_id);
ALTER TABLE ONLY agentlog.tiles
    ADD CONSTRAINT tiles_pkey PRIMARY KEY (tenant, number);
ALTER TABLE ONLY agentlog.tracking
    ADD CONSTRAINT tracking_pkey PRIMARY KEY (application_name);
CREATE INDEX accesses_of_tenant ON agentlog.accesses USING btree (tenant, number);
CREATE INDEX deliveries_waiting ON agentlog.deliveries USING btree (tenant, subscription, number) WHERE (parked_at IS NULL);
CREATE INDEX erasures_to_do ON agentlog.erasures USING btree ("position") WHERE (number IS NULL);
CREATE INDEX events_by_position ON agentlog.events USING btree (tenant, "position");
CREATE INDEX events_by_type ON agentlog.events USING btree (tenant, thread_id, type, ((version >> 6)));
CREATE INDEX events_with_cuts ON agentlog.events USING btree (tenant, "position") WHERE (cuts IS NOT NULL);
CREATE INDEX keys_of_tenant ON agentlog.keys USING btree (tenant, id);
CREATE UNIQUE INDEX projections_building_once ON agentlog.projections USING btree (name) WHERE (state = 'building'::text);
CREATE UNIQUE INDEX projections_live_once ON agentlog.projections USING btree (name) WHERE (state = 'live'::text);
CREATE INDEX thread_search_by_content ON agentlog.thread_search USING gin (words, metadata jsonb_path_ops) WITH (gin_pending_list_limit='256');
CREATE INDEX threads_by_origin ON agentlog.threads USING btree (tenant, origin) WHERE (origin IS NOT NULL);
CREATE INDEX threads_by_parent ON agentlog.threads USING btree (tenant, parent, status, "position") WHERE (parent IS NOT NULL);
CREATE INDEX threads_by_recency ON agentlog.threads USING btree (tenant, "position");
CREATE INDEX threads_by_status ON agentlog.threads USING btree (tenant, status, "position");
CREATE INDEX threads_hidden ON agentlog.threads USING btree (tenant, thread_id) WHERE hidden;
CREATE INDEX threads_with_anomalies ON agentlog.threads USING btree (tenant, thread_id) WHERE (anomalies > 0);
CREATE TRIGGER accesses_only_grow BEFORE DELETE OR UPDATE OR TRUNCATE ON agentlog.accesses FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();
CREATE TRIGGER blobs_owned_here BEFORE INSERT OR UPDATE ON agentlog.blobs FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_elsewhere();
CREATE TRIGGER checkpoints_only_grow BEFORE DELETE ON agentlog.checkpoints FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_loss();
CREATE TRIGGER checkpoints_only_whole BEFORE UPDATE OR TRUNCATE ON agentlog.checkpoints FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();
CREATE TRIGGER checkpoints_owned_here BEFORE INSERT OR UPDATE ON agentlog.checkpoints FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_elsewhere();
CREATE TRIGGER counter_only_grows BEFORE UPDATE ON agentlog.counter FOR EACH ROW WHEN (((new."position" < old."position") OR (new.recorded_at < old.recorded_at))) EXECUTE FUNCTION agentlog.refuse_change();
CREATE TRIGGER definitions_owned_here BEFORE INSERT OR UPDATE ON agentlog.definitions FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_elsewhere();
CREATE TRIGGER events_note_erasure AFTER INSERT ON agentlog.events FOR EACH ROW WHEN ((new.type = 'thread.redacted'::text)) EXECUTE FUNCTION agentlog.note_erasure();
CREATE TRIGGER events_only_grow BEFORE DELETE ON agentlog.events FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_loss();
CREATE TRIGGER events_only_redacted BEFORE UPDATE ON agentlog.events FOR EACH ROW EXECUTE FUNCTION agentlog.allow_redaction();
CREATE TRIGGER events_only_whole BEFORE TRUNCATE ON agentlog.events FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();
CREATE TRIGGER imports_owned_here BEFORE INSERT OR UPDATE ON agentlog.imports FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_elsewhere();
CREATE TRIGGER keys_only_grow BEFORE TRUNCATE ON agentlog.keys FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();
CREATE TRIGGER keys_only_revoked BEFORE DELETE OR UPDATE ON agentlog.keys FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_key_change();
CREATE TRIGGER keys_owned_here BEFORE INSERT OR UPDATE ON agentlog.keys FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_elsewhere();
CREATE TRIGGER moves_note_step AFTER INSERT ON agentlog.moves FOR EACH ROW EXECUTE FUNCTION agentlog.note_step();
CREATE TRIGGER moves_only_grow BEFORE DELETE OR UPDATE OR TRUNCATE ON agentlog.moves FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();
CREATE TRIGGER subscriptions_owned_here BEFORE INSERT OR UPDATE ON agentlog.subscriptions FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_elsewhere();
CREATE TRIGGER threads_follow_events AFTER INSERT OR UPDATE ON agentlog.threads FOR EACH ROW EXECUTE FUNCTION agentlog.check_head();
CREATE TRIGGER threads_forget_facts AFTER DELETE ON agentlog.threads FOR EACH ROW WHEN ((old.facts IS NOT NULL)) EXECUTE FUNCTION agentlog.forget_facts();
CREATE TRIGGER threads_note_facts AFTER UPDATE OF facts ON agentlog.threads FOR EACH ROW WHEN ((new.facts IS DISTINCT FROM old.facts)) EXECUTE FUNCTION agentlog.note_facts();
CREATE TRIGGER threads_note_first_facts AFTER INSERT ON agentlog.threads FOR EACH ROW WHEN ((new.facts IS NOT NULL)) EXECUTE FUNCTION agentlog.note_facts();
CREATE TRIGGER threads_note_move AFTER UPDATE OF "position", status ON agentlog.threads FOR EACH ROW WHEN ((new.facts IS NOT NULL)) EXECUTE FUNCTION agentlog.note_move();
CREATE TRIGGER threads_only_grow BEFORE UPDATE ON agentlog.threads FOR EACH ROW WHEN (((new.version <= old.version) OR (new.tenant <> old.tenant) OR (new.thread_id <> old.thread_id) OR (new.started_at <> old.started_at))) EXECUTE FUNCTION agentlog.refuse_change();
CREATE TRIGGER threads_owned_here BEFORE INSERT OR UPDATE ON agentlog.threads FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_elsewhere();
ALTER TABLE ONLY agentlog.deliveries
    ADD CONSTRAINT deliveries_tenant_subscription_fkey FOREIGN KEY (tenant, subscription) REFERENCES agentlog.subscriptions(tenant, name) ON DELETE CASCADE;
ALTER TABLE agentlog.blobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentlog.checkpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentlog.erasures ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentlog.events ENABLE ROW LEVEL SECURITY;
CREATE POLICY every_tenant ON agentlog.blobs TO agentlog_service USING (true);
CREATE POLICY every_tenant ON agentlog.checkpoints TO agentlog_service USING (true);
CREATE POLICY every_tenant ON agentlog.erasures TO agentlog_service USING (true);
CREATE POLICY every_tenant ON agentlog.events TO agentlog_service USING (true);
CREATE POLICY every_tenant ON agentlog.ledger TO agentlog_service USING (true);
CREATE POLICY every_tenant ON agentlog.moves TO agentlog_service USING (true);
CREATE POLICY every_tenant ON agentlog.snapshots TO agentlog_service USING (true);
CREATE POLICY every_tenant ON agentlog.thread_search TO agentlog_service USING (true);
CREATE POLICY every_tenant ON agentlog.threads TO agentlog_service USING (true);
CREATE POLICY every_tenant ON agentlog.tiles TO agentlog_service USING (true);
ALTER TABLE agentlog.ledger ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentlog.loose_blobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentlog.moves ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON agentlog.blobs TO agentlog_tenant USING ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)));
CREATE POLICY own_tenant ON agentlog.checkpoints TO agentlog_tenant USING ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)));
CREATE POLICY own_tenant ON agentlog.erasures TO agentlog_tenant USING ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)));
CREATE POLICY own_tenant ON agentlog.events TO agentlog_tenant USING ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)));
CREATE POLICY own_tenant ON agentlog.ledger TO agentlog_tenant USING ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)));
CREATE POLICY own_tenant ON agentlog.moves TO agentlog_tenant USING ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)));
CREATE POLICY own_tenant ON agentlog.snapshots TO agentlog_tenant USING ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)));
CREATE POLICY own_tenant ON agentlog.thread_search TO agentlog_tenant USING ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)));
CREATE POLICY own_tenant ON agentlog.threads TO agentlog_tenant USING ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)));
CREATE POLICY own_tenant ON agentlog.tiles TO agentlog_tenant USING ((tenant = ( SELECT current_setting('agentlog.tenant'::text, true) AS current_setting)));
ALTER TABLE agentlog.snapshots ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentlog.thread_search ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentlog.threads ENABLE ROW LEVEL SECURITY;
ALTER TABLE agentlog.tiles ENABLE ROW LEVEL SECURITY;
GRANT USAGE ON SCHEMA agentlog TO agentlog_service;
GRANT USAGE ON SCHEMA agentlog TO agentlog_tenant;
GRANT USAGE ON SCHEMA agentlog_analytics TO PUBLIC;
GRANT ALL ON SCHEMA agentlog_analytics TO agentlog_service;
GRANT ALL ON SCHEMA agentlog_readmodels TO agentlog_service;
GRANT USAGE ON SCHEMA agentlog_readmodels TO agentlog_tenant;
REVOKE ALL ON FUNCTION agentlog.delete_unreferenced(of_tenant text) FROM PUBLIC;
GRANT ALL ON FUNCTION agentlog.delete_unreferenced(of_tenant text) TO agentlog_service;
REVOKE ALL ON FUNCTION agentlog.elsewhere(of_tenant text, OUT other text, OUT step text) FROM PUBLIC;
GRANT ALL ON FUNCTION agentlog.elsewhere(of_tenant text, OUT other text, OUT step text) TO agentlog_service;
GRANT ALL ON FUNCTION agentlog.elsewhere(of_tenant text, OUT other text, OUT step text) TO agentlog_tenant;
REVOKE ALL ON FUNCTION agentlog.finish_erasure(of_tenant text, of_thread text, by_version bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION agentlog.finish_erasure(of_tenant text, of_thread text, by_version bigint) TO agentlog_service;
REVOKE ALL ON FUNCTION agentlog.redact_events(of_tenant text, of_thread text, by_version bigint, versions bigint[], bodies bytea[], new_cuts bytea[], new_metadata bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION agentlog.redact_events(of_tenant text, of_thread text, by_version bigint, versions bigint[], bodies bytea[], new_cuts bytea[], new_metadata bytea[]) TO agentlog_service;
REVOKE ALL ON FUNCTION agentlog.renew_figures() FROM PUBLIC;
GRANT ALL ON FUNCTION agentlog.renew_figures() TO agentlog_service;
REVOKE ALL ON FUNCTION agentlog.unreferenced(of_tenant text, digests bytea[], beyond bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(bigint) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(bigint) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(integer, integer) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock(integer, integer) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(bigint) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(bigint) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(integer, integer) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_lock_shared(integer, integer) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(bigint) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(bigint) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(integer, integer) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock(integer, integer) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_all() TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_all() TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(bigint) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(bigint) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(integer, integer) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_unlock_shared(integer, integer) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(integer, integer) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock(integer, integer) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(bigint) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(bigint) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(integer, integer) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_advisory_xact_lock_shared(integer, integer) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_notify(text, text) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_notify(text, text) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(bigint) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(bigint) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(integer, integer) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock(integer, integer) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(bigint) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(bigint) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(integer, integer) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(integer, integer) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(bigint) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(bigint) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(integer, integer) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(integer, integer) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(bigint) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(bigint) TO agentlog_tenant;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(integer, integer) TO agentlog_service;
GRANT ALL ON FUNCTION pg_catalog.pg_try_advisory_xact_lock_shared(integer, integer) TO agentlog_tenant;
GRANT SELECT,INSERT ON TABLE agentlog.accesses TO agentlog_service;
GRANT SELECT ON TABLE agentlog.analysts TO agentlog_service;
GRANT SELECT,INSERT ON TABLE agentlog.blobs TO agentlog_service;
GRANT SELECT,INSERT ON TABLE agentlog.blobs TO agentlog_tenant;
GRANT SELECT,INSERT ON TABLE agentlog.checkpoints TO agentlog_service;
GRANT SELECT,INSERT ON TABLE agentlog.checkpoints TO agentlog_tenant;
GRANT SELECT,UPDATE ON TABLE agentlog.counter TO agentlog_service;
GRANT SELECT ON TABLE agentlog.counter TO agentlog_tenant;
GRANT UPDATE(only_row) ON TABLE agentlog.counter TO agentlog_tenant;
GRANT SELECT,INSERT ON TABLE agentlog.definitions TO agentlog_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE agentlog.deliveries TO agentlog_service;
GRANT SELECT ON TABLE agentlog.erasures TO agentlog_service;
GRANT SELECT ON TABLE agentlog.erasures TO agentlog_tenant;
GRANT SELECT,INSERT ON TABLE agentlog.events TO agentlog_service;
GRANT SELECT ON TABLE agentlog.events TO agentlog_tenant;
GRANT SELECT ON TABLE agentlog.events_in_blocks TO agentlog_service;
GRANT SELECT ON TABLE agentlog.events_in_blocks TO agentlog_tenant;
GRANT SELECT,INSERT ON TABLE agentlog.imports TO agentlog_service;
GRANT UPDATE(ended_at) ON TABLE agentlog.imports TO agentlog_service;
GRANT UPDATE(upto) ON TABLE agentlog.imports TO agentlog_service;
GRANT UPDATE(threads) ON TABLE agentlog.imports TO agentlog_service;
GRANT UPDATE(events) ON TABLE agentlog.imports TO agentlog_service;
GRANT UPDATE(grown) ON TABLE agentlog.imports TO agentlog_service;
GRANT SELECT,INSERT ON TABLE agentlog.keys TO agentlog_service;
GRANT UPDATE(revoked_at) ON TABLE agentlog.keys TO agentlog_service;
GRANT UPDATE(revoked_by) ON TABLE agentlog.keys TO agentlog_service;
GRANT SELECT,INSERT,UPDATE ON TABLE agentlog.ledger TO agentlog_service;
GRANT SELECT ON TABLE agentlog.ledger TO agentlog_tenant;
GRANT SELECT ON TABLE agentlog.migrations TO agentlog_service;
GRANT SELECT ON TABLE agentlog.moves TO agentlog_service;
GRANT SELECT ON TABLE agentlog.moves TO agentlog_tenant;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE agentlog.projections TO agentlog_service;
GRANT SELECT ON TABLE agentlog.projections TO agentlog_tenant;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE agentlog.snapshots TO agentlog_service;
GRANT SELECT,INSERT,DELETE ON TABLE agentlog.snapshots TO agentlog_tenant;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE agentlog.subscriptions TO agentlog_service;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE agentlog.thread_search TO agentlog_service;
GRANT SELECT ON TABLE agentlog.thread_search TO agentlog_tenant;
GRANT SELECT,INSERT,UPDATE ON TABLE agentlog.threads TO agentlog_service;
GRANT SELECT ON TABLE agentlog.threads TO agentlog_tenant;
GRANT SELECT,INSERT ON TABLE agentlog.tiles TO agentlog_service;
GRANT SELECT,INSERT ON TABLE agentlog.tiles TO agentlog_tenant;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE agentlog.tracking TO agentlog_service;
GRANT SELECT ON TABLE agentlog.tracking TO agentlog_tenant;
GRANT SELECT ON TABLE agentlog_analytics.events TO PUBLIC;
GRANT SELECT ON TABLE agentlog_analytics.progress TO PUBLIC;
INSERT INTO agentlog.counter (position, recorded_at) VALUES (0, '-infinity');
INSERT INTO agentlog.migrations (number, name, sha256) VALUES
    (1, 'log', '1d395bf23bea316105b55aa2afe7a001ed0095c59e5caf6ebd300a78c7e1daaa'),
    (2, 'snapshots', '1a43b8b362768e1df7f2129b8dffbfa199ff67d320d8fe52a2377ed8324aa938'),
    (3, 'lists', '6848e2e494031bedb1d4c2a9d022425c166f0f0c388dad5e22fff481d9350f25'),
    (4, 'blobs', '4bc49120654d115eee88066955b55e44b0341a994a8f18a8c322310dd922d708'),
    (5, 'projections', '572276e3196569472a51d0599001385628f23559ea45cd20d3f82e67f5c2a9da'),
    (6, 'audit', 'e7c34df3dbc5db38025e5daf3679401fdafa5450ad48783f7a95ca15a7ea0a96'),
    (7, 'roles', 'd7c4356f815def4f9d380cb3d6d4cf4511d27184fa2a4e3de6ea1033993dd57a'),
    (8, 'erasure', 'c17691cf95364d1445e861e994d0fb49ff28b93060d6f44755382e36f134c8ac'),
    (9, 'keys', '77f9b69ae10bf2d10b2b2ff6e0ccda0016cda77660b5e9e6335bc669cb08bd2f'),
    (10, 'moves', '7d3789f9d72bfec864231034096e8f48cea658c51aaa2ecfb368ea7306ded9cb'),
    (11, 'printed_items', '02d65c361716d03cc87917a29840bb6ab73fafb6f4292222751a0cf76e6bc6e8'),
    (12, 'smaller_indexes', '10d4e1f54792b3fe6a3ca186fb93b0abdda24577bac75a78738b337049c1bfe0'),
    (13, 'links', '615da148c3cf21cd120a88448c643ba16b63abe53b6402ed6d27c23c3fc4c093'),
    (14, 'proof', 'ada11f5fbd5b5ebf20719e8f25622a70b608008017d8f94dd0e9bbb10086343d'),
    (15, 'progress', '64dcb2087ba0b145e400221f9b6c643f7d724e816204bcd16d70e46f5a3f2695'),
    (16, 'anomalies', '45c9eef7178f8cc610cde950049656d21ed6db0b223c8a86e6f9a1c73600e03c'),
    (17, 'hidden', '57952f5267ad7cf7e0a943397f758734786b33c44c52c09ef92b7e685d482fe4'),
    (18, 'imports', 'd7342a4b872df68769af87c837d4f0896805e385f2ebc95a4ff9689466ef8bb8'),
    (19, 'operators', '8e8e11ebcfa1e5c68a6095a8df3cc420ae7a4b468c6b560784bb813b173a6ff9'),
    (20, 'left', '134818190d076bfc2b53fac7c2ba2f80f1a92991aaddff9883aac9aef3cc23d4'),
    (21, 'forks', '249df8d8469c05e68d7843dac88b8e70327653cc28aa3f4a07ae8fe0bcb12576'),
    (22, 'subscriptions', '4fd233cbc9fa1cd5ed474d5602006bc399ec7fb355abd7edeb8dfc2e3bbdbb73'),
    (23, 'definitions', '34f6a90c90f5477b5d1e94903afa44a02c1453631e593878de7b005e0604d866'),
    (24, 'tenant_moves', 'de641e1981a902a079369a8f99503c3608c37008169567cd9df170b41e0fe8ca'),
    (25, 'erasure_mark', '8505d681bf605e47ceae9e5e66e03bc89c3ecc25163b61ddbf6dcdc17c4ccb5c');
RESET check_function_bodies;
