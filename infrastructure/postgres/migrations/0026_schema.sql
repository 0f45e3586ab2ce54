-- The whole schema, as agentlog 0.26 makes it. What 0.25 made in 25 steps is the same; later steps have
-- files of their own. Keys begin with tenant and thread, so that the tables can be distributed by thread
-- later. Ids compare by code point everywhere, whatever the database was made with.

-- Roles

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

-- Where the functions of locks and notifications are taken from PUBLIC, as to confine analysts, the service
-- has them all the same.
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

GRANT USAGE ON SCHEMA agentlog TO agentlog_service, agentlog_tenant;
GRANT SELECT ON agentlog.migrations TO agentlog_service;

-- Events

CREATE TABLE agentlog.events (
    tenant      text COLLATE "C" NOT NULL,
    thread_id   text COLLATE "C" NOT NULL,
    version     bigint      NOT NULL, -- place in the thread, 1-based, contiguous
    position    bigint      NOT NULL, -- place in the log, in commit order
    type        text COLLATE "C" NOT NULL, -- the stable word, never a class path
    message_id  text COLLATE "C" NOT NULL,
    recorded_at timestamptz NOT NULL, -- the store's clock, never running backwards in the log
    body        bytea       NOT NULL, -- the message as JSON; jsonb would refuse NUL and rewrite numbers
    body_sha256 bytea       NOT NULL,
    chain       bytea       NOT NULL, -- link of the thread's hash chain, see domain/integrity/hash_chain.py
    metadata    bytea,                -- JSON object, NULL where there is none
    -- What was cut out of the body, in its order: for each blob four bytes for its place in what is left,
    -- the highest bit set where the body has it in base64, and 32 of the SHA-256. NULL where nothing was.
    cuts        bytea,
    redacted    bigint,               -- version of the thread.redacted that its content went by
    metadata_sha256 bytea,            -- of the metadata that was, only where redacted
    -- What a redaction may leave of an event, bound by its link: the `left_digests` of domain/redaction.py.
    -- NULL in events of early versions, whose links do not cover it.
    left_sha256 bytea,
    -- Of an event that a fork made: the origin's version that it was copied from, or that an edit put it
    -- at. It is no part of the link: it follows from the fork's first fact, and an audit compares them.
    origin_version bigint,
    PRIMARY KEY (tenant, thread_id, version),
    CONSTRAINT events_message_id_once UNIQUE (tenant, thread_id, message_id)
);

COMMENT ON COLUMN agentlog.events.body IS
    'the message as JSON, less what was cut out of it: use agentlog.body_of(tenant, body, cuts)';

CREATE INDEX events_by_position ON agentlog.events (tenant, position);

-- A thread's messages by type. With the version itself in the key each event would have an entry with
-- tenant, thread and type in full; those of a block of 64 versions share one: a third of the size.
CREATE INDEX events_by_type ON agentlog.events (tenant, thread_id, type, (version >> 6));

-- Which events refer to a blob is asked before it is deleted, and where a file is to be erased.
CREATE INDEX events_with_cuts ON agentlog.events (tenant, position) WHERE cuts IS NOT NULL;

-- Behind row-level security PostgreSQL looks nothing up by what it computes, as that might leak. So the
-- index is read through this view, with a wall of its own, which is the same: rows of the tenant that the
-- session is set to, and of all tenants for the service itself.
CREATE VIEW agentlog.events_in_blocks AS
SELECT tenant, thread_id, version, position, type, message_id, recorded_at, body, metadata, cuts,
       redacted, version >> 6 AS block, origin_version
FROM agentlog.events
WHERE tenant = (SELECT current_setting('agentlog.tenant', true))
    OR (SELECT pg_has_role('agentlog_service', 'MEMBER'));

CREATE FUNCTION agentlog.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on agentlog.% is refused: the log only grows', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

-- Heads of threads

-- Heads: listing threads and checking a version never read the events.
CREATE TABLE agentlog.threads (
    tenant     text COLLATE "C" NOT NULL,
    thread_id  text COLLATE "C" NOT NULL,
    version    bigint      NOT NULL, -- of the latest event
    position   bigint      NOT NULL, -- of the latest event
    chain      bytea       NOT NULL, -- of the latest event
    policy     text        NOT NULL,
    status     text        NOT NULL,
    anomalies  bigint      NOT NULL, -- rules broken so far, under policy record
    parent     text COLLATE "C",
    goal       text,                 -- to search in: NUL is replaced, `facts` has it as it was
    facts      bytea,                -- goal, parent, limits, metadata as JSON; NULL where never started
    started_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Threads that lists, reads, reports and searches leave out: their last fact about it says so.
    hidden     boolean     NOT NULL DEFAULT false,
    origin     text COLLATE "C",     -- of a fork: the thread that it was copied from
    PRIMARY KEY (tenant, thread_id)
);

-- Every list is by position, so the indexes that an append moves hold it, each after a filter that is
-- exact. They ascend and are read backwards: an index that grows at its end splits into full pages.
CREATE INDEX threads_by_recency ON agentlog.threads (tenant, position);
CREATE INDEX threads_by_status ON agentlog.threads (tenant, status, position);
CREATE INDEX threads_by_parent ON agentlog.threads (tenant, parent, status, position)
    WHERE parent IS NOT NULL;

-- An append to any other thread does not touch these. Erasures follow forks, and trees of forks are read.
CREATE INDEX threads_with_anomalies ON agentlog.threads (tenant, thread_id) WHERE anomalies > 0;
CREATE INDEX threads_hidden ON agentlog.threads (tenant, thread_id) WHERE hidden;
CREATE INDEX threads_by_origin ON agentlog.threads (tenant, origin) WHERE origin IS NOT NULL;

-- Each append leaves a dead version of its head: vacuum long before a fifth of the table is dead.
ALTER TABLE agentlog.threads SET (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000
);

-- What each thread asked for and what was answered: all that its rules need to know of the past.
CREATE TABLE agentlog.ledger (
    tenant    text COLLATE "C" NOT NULL,
    thread_id text COLLATE "C" NOT NULL,
    kind      text COLLATE "C" NOT NULL, -- call, approval or worker
    id_sha256 bytea  NOT NULL, -- ids are any text of any length; their digest fits an index
    asked     bigint NOT NULL, -- version
    answered  bigint,          -- version, NULL while open
    PRIMARY KEY (tenant, thread_id, kind, id_sha256)
);

-- Whoever appends locks this row, so positions follow the order of commits and readers need only
-- `position > cursor`.
CREATE TABLE agentlog.counter (
    only_row    boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    position    bigint      NOT NULL,
    recorded_at timestamptz NOT NULL
) WITH (fillfactor = 10);

INSERT INTO agentlog.counter (position, recorded_at) VALUES (0, '-infinity');

-- A head moves forward, and only with the event that it stands at.
CREATE FUNCTION agentlog.check_head() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TRIGGER threads_follow_events AFTER INSERT OR UPDATE ON agentlog.threads
    FOR EACH ROW EXECUTE FUNCTION agentlog.check_head();
CREATE TRIGGER threads_only_grow BEFORE UPDATE ON agentlog.threads
    FOR EACH ROW
    WHEN (
        NEW.version <= OLD.version
        OR NEW.tenant <> OLD.tenant
        OR NEW.thread_id <> OLD.thread_id
        OR NEW.started_at <> OLD.started_at
    )
    EXECUTE FUNCTION agentlog.refuse_change();
CREATE TRIGGER counter_only_grows BEFORE UPDATE ON agentlog.counter
    FOR EACH ROW
    WHEN (NEW.position < OLD.position OR NEW.recorded_at < OLD.recorded_at)
    EXECUTE FUNCTION agentlog.refuse_change();

-- How far each reader of the log has come.
CREATE TABLE agentlog.tracking (
    application_name text COLLATE "C" PRIMARY KEY,
    notification_id  bigint NOT NULL
) WITH (fillfactor = 50);

-- Its row of tracking is updated with each batch of a projection: the default would let a hundred
-- million dead versions gather.
ALTER TABLE agentlog.tracking SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000
);

-- Contents
-- Long texts that repeat, and files, by their content: each stands once a tenant, out of the events.

-- In pieces, so that a large one streams in and out. Files as they are, not in base64. Nothing here is
-- changed; whoever erases a content deletes its rows, and what refers to it reads as empty there.
CREATE TABLE agentlog.blobs (
    tenant  text COLLATE "C" NOT NULL,
    sha256  bytea   NOT NULL, -- of the whole content
    piece   integer NOT NULL, -- from 0
    content bytea   NOT NULL,
    PRIMARY KEY (tenant, sha256, piece)
);

-- The body as it was appended, for whoever reads by SQL. It is what `body_sha256` is of. A content that is
-- missing is not read as empty: a text in its place says so, as in
-- infrastructure/eventlog/body_deduplication.py.
CREATE FUNCTION agentlog.body_of(tenant text, body bytea, cuts bytea) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
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

-- Links

-- The links of a batch, made once the log is held and its time is known, so that nobody has to guess that.
-- An event's link covers what
-- domain/integrity/hash_chain.py says: the one before, which is in `chains` or is that of the
-- event of this batch that it `follows`, what is `before` the time, the time, and what is `after`.
CREATE FUNCTION agentlog.links(
    recorded_at timestamptz, chains bytea[], follows bigint[], befores bytea[], afters bytea[]
) RETURNS bytea[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
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

-- Snapshots of views

-- Carries of views at some versions, so that a long thread is not folded from its start again.
-- Reads make them, appends never do. They are no part of the log: any row may be deleted and the
-- table truncated at any time, and whoever erases a message deletes its thread's rows here too.

CREATE TABLE agentlog.snapshots (
    tenant    text COLLATE "C" NOT NULL,
    thread_id text COLLATE "C" NOT NULL,
    view      text COLLATE "C" NOT NULL,
    options   text COLLATE "C" NOT NULL, -- of the view, as JSON
    format    text COLLATE "C" NOT NULL, -- names the key that sealed it; rows of another are never read
    version   bigint NOT NULL, -- the carry is that just after it
    carry     bytea,           -- without its lists, after the version these began at; NULL
                               -- where it is too large for what it saves
    grown     bytea,           -- its lists, from where the row before stands; NULL where all are empty
    items     bytea,           -- of a list, as they were printed: settled since the row before
    PRIMARY KEY (tenant, thread_id, view, options, format, version)
);

-- compressed by whoever writes them
ALTER TABLE agentlog.snapshots
    ALTER COLUMN carry SET STORAGE EXTERNAL,
    ALTER COLUMN grown SET STORAGE EXTERNAL,
    ALTER COLUMN items SET STORAGE EXTERNAL;

-- Search

-- What is searched for, apart from the heads: an append moves its head in all indexes of that table,
-- and an index of words is the dearest to move. Here `position` and `status` follow the head without
-- touching an index, as none holds them and pages have room for it. Threads of which nothing but
-- messages is known have no row.
CREATE TABLE agentlog.thread_search (
    tenant    text COLLATE "C" NOT NULL,
    thread_id text COLLATE "C" NOT NULL,
    position  bigint   NOT NULL,
    status    text     NOT NULL,
    parent    text COLLATE "C",
    content   text     NOT NULL, -- id and goal in lower case
    words     tsvector NOT NULL, -- of the content, and one that stands for the tenant
    metadata  jsonb    NOT NULL, -- its top-level keys whose values are scalars
    PRIMARY KEY (tenant, thread_id)
) WITH (fillfactor = 80);

-- A search also reads what is pending, so that is kept short.
CREATE INDEX thread_search_by_content ON agentlog.thread_search
    USING gin (words, metadata jsonb_path_ops) WITH (gin_pending_list_limit = 256);

-- Id and goal. Only the first 4,000 characters count, so that no goal makes an append slow.
CREATE FUNCTION agentlog.content_of(thread_id text, goal text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    -- the collation of the database, not that of the id
    SELECT lower(concat_ws(' ', thread_id, left(goal, 4000)) COLLATE "default")
$$;

-- Runs of letters and digits, in pieces of 64, and each other character by itself, as each of a script
-- that is written without spaces. No extension, and no language's stemming.
CREATE FUNCTION agentlog.words_of(content text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
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

-- The tenant's begins with a space, as no word does.
CREATE FUNCTION agentlog.lexemes_of(tenant text, content text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_tsvector(array_append(agentlog.words_of(content), ' ' || md5(tenant)))
$$;

-- The words of each part of a search, between spaces, are words of the content; the last may be but the
-- beginning of one. Without a search, any content will do.
CREATE FUNCTION agentlog.words_query(tenant text, search text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
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

-- And each part stands in the content as it is: patterns for LIKE ALL, which anything is like where
-- there are none.
CREATE FUNCTION agentlog.parts_of(search text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY(
        SELECT '%' || regexp_replace(part, '[\\%_]', '\\\&', 'g') || '%'
        FROM regexp_split_to_table(lower(search COLLATE "default"), '\s+') AS part
    )
$$;

-- A scalar of JSON, which takes numbers that jsonb refuses: those stand as their text.
CREATE FUNCTION agentlog.scalar_of(value json) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN json_typeof(value) <> 'number'
            OR (length(value::text) <= 1000 AND value::text !~ '[eE][+-]?[0-9]{4}')
        THEN value::jsonb
        ELSE to_jsonb(value::text)
    END
$$;

-- The keys of a thread's metadata whose values are scalars of at most `longest` characters; never
-- fails, because it would take an append with it. NUL, which jsonb refuses, is U+FFFD.
CREATE FUNCTION agentlog.scalars_of(facts bytea, longest integer) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
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

-- A value within a message, by the keys and indexes that lead to it; NULL where there is none. Never
-- fails. NUL, which jsonb refuses, is U+FFFD.
CREATE FUNCTION agentlog.value_in(body bytea, path text[]) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
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

-- By triggers, so that whatever writes heads keeps searches right. After the insert, not before it:
-- ON CONFLICT would come by there with each append.
CREATE FUNCTION agentlog.note_facts() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TRIGGER threads_note_first_facts AFTER INSERT ON agentlog.threads
    FOR EACH ROW WHEN (NEW.facts IS NOT NULL) EXECUTE FUNCTION agentlog.note_facts();
CREATE TRIGGER threads_note_facts AFTER UPDATE OF facts ON agentlog.threads
    FOR EACH ROW WHEN (NEW.facts IS DISTINCT FROM OLD.facts)
    EXECUTE FUNCTION agentlog.note_facts();

-- What is searched for follows its head by itself, and not at all where nothing can be searched for: to
-- gather all that a statement had moved cost a single append more than its own index entries do.
CREATE FUNCTION agentlog.note_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE agentlog.thread_search
    SET position = NEW.position, status = NEW.status
    WHERE tenant = NEW.tenant AND thread_id = NEW.thread_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER threads_note_move AFTER UPDATE OF position, status ON agentlog.threads
    FOR EACH ROW WHEN (NEW.facts IS NOT NULL) EXECUTE FUNCTION agentlog.note_move();

CREATE FUNCTION agentlog.forget_facts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM agentlog.thread_search WHERE tenant = OLD.tenant AND thread_id = OLD.thread_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER threads_forget_facts AFTER DELETE ON agentlog.threads
    FOR EACH ROW WHEN (OLD.facts IS NOT NULL) EXECUTE FUNCTION agentlog.forget_facts();

-- Figures for the planner

-- Nothing is ever looked for by these, to take figures of them was a third of an ANALYZE, and figures hold
-- values: none are kept of what may be erased.
ALTER TABLE agentlog.events
    ALTER COLUMN body SET STATISTICS 0,
    ALTER COLUMN body_sha256 SET STATISTICS 0,
    ALTER COLUMN chain SET STATISTICS 0,
    ALTER COLUMN metadata SET STATISTICS 0;
ALTER TABLE agentlog.blobs ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE agentlog.threads
    ALTER COLUMN chain SET STATISTICS 0,
    ALTER COLUMN goal SET STATISTICS 0,
    ALTER COLUMN facts SET STATISTICS 0;
ALTER TABLE agentlog.thread_search
    ALTER COLUMN content SET STATISTICS 0,
    ALTER COLUMN words SET STATISTICS 0,
    ALTER COLUMN metadata SET STATISTICS 0;

-- Figures for the planner are the owner's to renew, and while a log is young the server is late.
CREATE FUNCTION agentlog.renew_figures() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    ANALYZE (SKIP_LOCKED) agentlog.events, agentlog.threads, agentlog.ledger, agentlog.blobs;
END
$$;
REVOKE EXECUTE ON FUNCTION agentlog.renew_figures() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION agentlog.renew_figures() TO agentlog_service;

-- Proof. See docs/reference/proof.md.

-- Signed checkpoints of a tenant's log.
CREATE TABLE agentlog.checkpoints (
    tenant     text COLLATE "C" NOT NULL,
    size       bigint      NOT NULL, -- events of the tenant that it is over
    position   bigint      NOT NULL, -- it is over all of them up to here
    root       bytea       NOT NULL, -- of the Merkle tree of RFC 9162 over their links, by position
    note       text        NOT NULL, -- the signed note: what is handed out
    public_key bytea       NOT NULL, -- Ed25519, 32 bytes
    made_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, size)
);

-- What makes proofs quick: roots of complete subtrees of 1,024 leaves each, in order. They come again from
-- the events: the table may be truncated at any time.
CREATE TABLE agentlog.tiles (
    tenant        text COLLATE "C" NOT NULL,
    number        bigint NOT NULL, -- from 0
    root          bytea  NOT NULL,
    last_position bigint NOT NULL, -- of its last leaf
    PRIMARY KEY (tenant, number)
);

-- Erasure: a content goes, its hash and its place stay. See docs/how-to/erase.md.

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

-- Contents that a redaction took from an event: those that no event refers to any more are deleted. The
-- service can delete no others.
CREATE TABLE agentlog.loose_blobs (
    tenant text COLLATE "C" NOT NULL,
    sha256 bytea NOT NULL,
    PRIMARY KEY (tenant, sha256)
);
ALTER TABLE agentlog.loose_blobs ENABLE ROW LEVEL SECURITY;

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

-- Which of some blobs a tenant's events beyond a position do not refer to.
CREATE FUNCTION agentlog.unreferenced(of_tenant text, digests bytea[], beyond bigint) RETURNS bytea[]
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(digest)
    FROM unnest(digests) AS digest
    WHERE digest NOT IN (
        SELECT substr(cuts, cut * 36 + 5, 32)
        FROM agentlog.events
        CROSS JOIN LATERAL generate_series(0, length(cuts) / 36 - 1) AS cut
        WHERE tenant = of_tenant AND position > beyond AND cuts IS NOT NULL
    )
$$;

-- Whoever appends holds the counter while it adds an event and its blobs. So all events are looked through
-- first, which may take long, and only what came meanwhile while appends are held up: the caller is to
-- commit at once. Each statement sees what was committed when it began.
CREATE FUNCTION agentlog.delete_unreferenced(of_tenant text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- Tenants that move between databases. See infrastructure/moves and docs/how-to/scale.md.

-- A row a step; the last of a tenant says who owns it.
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
    -- The highest number of an erasure there was: rows of a tenant that is dropped take theirs along.
    erasures       bigint      NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, number)
);

CREATE TRIGGER moves_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON agentlog.moves
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();

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

-- Numbers of erasures never come again: services ask for those beyond the last that they know.
CREATE FUNCTION agentlog.finish_erasure(
    of_tenant text, of_thread text, by_version bigint
)
RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

REVOKE EXECUTE ON FUNCTION
    agentlog.redact_events(text, text, bigint, bigint[], bytea[], bytea[], bytea[]),
    agentlog.finish_erasure(text, text, bigint),
    agentlog.unreferenced(text, bytea[], bigint),
    agentlog.delete_unreferenced(text)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    agentlog.redact_events(text, text, bigint, bigint[], bytea[], bytea[], bytea[]),
    agentlog.finish_erasure(text, text, bigint),
    agentlog.delete_unreferenced(text)
    TO agentlog_service;

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

CREATE TRIGGER events_only_grow BEFORE DELETE ON agentlog.events
    FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_loss();
CREATE TRIGGER events_only_whole BEFORE TRUNCATE ON agentlog.events
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();
CREATE TRIGGER checkpoints_only_grow BEFORE DELETE ON agentlog.checkpoints
    FOR EACH ROW EXECUTE FUNCTION agentlog.refuse_loss();
CREATE TRIGGER checkpoints_only_whole BEFORE UPDATE OR TRUNCATE ON agentlog.checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();

-- Keys, and who asked, where reads are audited. See docs/how-to/secure.md.

CREATE TABLE agentlog.keys (
    id            text COLLATE "C" PRIMARY KEY, -- no secret: it stands in events and in lists
    tenant        text COLLATE "C" NOT NULL,
    name          text        NOT NULL,
    scopes        text[]      NOT NULL
        CHECK (
            cardinality(scopes) > 0
            AND scopes <@ ARRAY['read', 'append', 'redact', 'admin', 'metrics']
        ),
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

-- Imports, subscriptions, definitions

-- Imports, so that they can be listed and taken back. Which threads an import made is in the log: in
-- the metadata of their `thread.started`, between two positions.
CREATE TABLE agentlog.imports (
    tenant   text COLLATE "C" NOT NULL,
    id       text COLLATE "C" NOT NULL, -- a ULID
    at       timestamptz NOT NULL,
    ended_at timestamptz,               -- NULL: it still runs, or was killed
    after    bigint      NOT NULL,      -- the log's position when it began
    upto     bigint,                    -- and when it ended
    paths    text[]      NOT NULL,
    threads  bigint      NOT NULL DEFAULT 0, -- that it made
    events   bigint      NOT NULL DEFAULT 0, -- that it appended
    grown    text[]      NOT NULL DEFAULT '{}', -- ids of threads that were there before, and grew
    PRIMARY KEY (tenant, id)
);

-- Subscriptions: readers of the log whose places the server keeps, and the events that they have yet
-- to acknowledge. See infrastructure/subscriptions.
CREATE TABLE agentlog.subscriptions (
    tenant        text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    types         text[],              -- NULL: of all types
    threads       text COLLATE "C",    -- how ids of threads begin; NULL: any
    metadata      bytea,               -- JSON object that the thread's has; NULL: any
    position      bigint      NOT NULL, -- every event up to this place is in deliveries, or was
    max_attempts  integer     NOT NULL CHECK (max_attempts > 0),
    url           text,                -- where deliveries are posted to; NULL: they are pulled
    content       boolean     NOT NULL DEFAULT false, -- whether the message itself is posted
    secret        bytea,               -- what signs it
    paused_at     timestamptz,
    paused_why    text,                -- NULL: at a request
    failing_since timestamptz,         -- of the url: first failure after the last success
    created_at    timestamptz NOT NULL DEFAULT now(),
    created_by    text,                -- id of a key; NULL: the command line, or before any key
    PRIMARY KEY (tenant, name),
    CHECK ((url IS NULL) = (secret IS NULL))
);

-- No contents: what was erased from the log since is not delivered.
CREATE TABLE agentlog.deliveries (
    tenant       text COLLATE "C" NOT NULL,
    subscription text COLLATE "C" NOT NULL,
    number       bigint      GENERATED ALWAYS AS IDENTITY, -- in the order of the log
    position     bigint      NOT NULL,
    type         text COLLATE "C" NOT NULL, -- of the event, or the condition that it meets
    thread_id    text COLLATE "C" NOT NULL,
    notice       bytea,               -- JSON of what is no event of the log
    attempts     integer     NOT NULL DEFAULT 0,
    due_at       timestamptz NOT NULL DEFAULT now(), -- when it may be given out (again)
    lease        text,                -- of whom it was given to last
    error        text,                -- of the last attempt
    parked_at    timestamptz,         -- since when it waits for a decision
    PRIMARY KEY (tenant, subscription, number),
    CONSTRAINT deliveries_once UNIQUE (tenant, subscription, position, type),
    FOREIGN KEY (tenant, subscription) REFERENCES agentlog.subscriptions (tenant, name)
        ON DELETE CASCADE
);

CREATE INDEX deliveries_waiting ON agentlog.deliveries (tenant, subscription, number)
    WHERE parked_at IS NULL;

-- Rows come and go: the default would leave many dead ones.
ALTER TABLE agentlog.deliveries SET (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000
);

-- What a tenant has defined: its rules (what success is, which tools are shells) and saved filters.
-- Each change is a row: the last of a name holds.
CREATE TABLE agentlog.definitions (
    tenant text COLLATE "C" NOT NULL,
    kind   text COLLATE "C" NOT NULL CHECK (kind IN ('rule', 'filter')),
    name   text COLLATE "C" NOT NULL,
    number bigint      NOT NULL, -- counts up with each change
    value  text,                 -- NULL: taken away
    set_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    set_by text,                 -- id of a key; NULL: the command line, or before any key
    PRIMARY KEY (tenant, kind, name, number)
);

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

-- Read models and analysts

-- Read models: tables that projections fill from the log, made anew beside the old where they change.
--
-- Their tables, one a build of a projection. Nothing but projections writes here, and any of it may be
-- dropped: it comes again from the log. What is there already is of a log that was dropped.
DROP SCHEMA IF EXISTS agentlog_readmodels CASCADE;
CREATE SCHEMA agentlog_readmodels;

-- What analysts see: views of the builds that are live, under names that stay.
DROP SCHEMA IF EXISTS agentlog_analytics CASCADE;
CREATE SCHEMA agentlog_analytics;

-- The builds. How far each has come stands in agentlog.tracking, under `name.build`, and moves in the
-- transaction that writes its rows.
CREATE TABLE agentlog.projections (
    name       text COLLATE "C" NOT NULL,
    build      integer     NOT NULL, -- counts up with each rebuild
    version    integer     NOT NULL, -- of the code that fills it
    state      text COLLATE "C" NOT NULL CHECK (state IN ('building', 'live')),
    paused     boolean     NOT NULL DEFAULT false,
    stopped_at bigint,               -- position of the event that it cannot process
    error      text,                 -- why
    started_at timestamptz NOT NULL DEFAULT now(),
    live_at    timestamptz,
    PRIMARY KEY (name, build),
    CHECK ((stopped_at IS NULL) = (error IS NULL))
);

CREATE UNIQUE INDEX projections_live_once ON agentlog.projections (name) WHERE state = 'live';
CREATE UNIQUE INDEX projections_building_once ON agentlog.projections (name)
    WHERE state = 'building';

-- Which tenant a login role of analysts belongs to.
CREATE TABLE agentlog.analysts (
    role   text COLLATE "C" PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL
);

-- Whose rows the views of analysts show. A role that is bound to a tenant cannot be talked out of it;
-- whoever may read the log itself, and the service, says whose by the setting agentlog.tenant.
CREATE FUNCTION agentlog_analytics.tenant() RETURNS text
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

-- Whoever is admitted to the database may ask the views; what they show is decided by tenant() alone,
-- and is nothing for a role that is bound to no tenant. So a view that is made anew needs no grants of
-- its own for each analyst. The tables behind the views stay closed to everybody.
GRANT USAGE ON SCHEMA agentlog_analytics TO PUBLIC;
GRANT EXECUTE ON FUNCTION agentlog_analytics.tenant() TO PUBLIC;

-- The log itself. What was cut out of a body is put back in place here, as in agentlog.body_of: a
-- function that a view calls runs with the rights of whoever asks, who has none on agentlog.blobs,
-- while the tables of a view are read with the rights of its owner.
CREATE VIEW agentlog_analytics.events WITH (security_barrier) AS
SELECT
    tenant,
    thread_id,
    version,
    position,
    type,
    message_id,
    recorded_at,
    convert_from(
        CASE WHEN coalesce(length(cuts), 0) < 36 THEN body ELSE (
            SELECT string_agg(
                substr(body, before + 1, greatest(place - before, 0))
                || CASE WHEN in_base64
                    THEN convert_to(translate(encode(found, 'base64'), E'\n', ''), 'UTF8')
                    ELSE found END,
                '' ORDER BY cut
            ) || substr(body, max(place) + 1)
            FROM (
                SELECT
                    cut,
                    head & 2147483647 AS place,
                    coalesce(lag(head & 2147483647) OVER (ORDER BY cut), 0) AS before,
                    head < 0 AS in_base64,
                    CASE WHEN sha256(content) = digest THEN content ELSE convert_to(
                        '[content missing: sha256 ' || encode(digest, 'hex') || ']', 'UTF8'
                    ) END AS found
                FROM (
                    SELECT
                        cut,
                        ('x' || encode(substr(cuts, cut * 36 + 1, 4), 'hex'))::bit(32)::integer
                            AS head,
                        substr(cuts, cut * 36 + 5, 32) AS digest,
                        (
                            SELECT string_agg(piece.content, '' ORDER BY piece.piece)
                            FROM agentlog.blobs AS piece
                            WHERE piece.tenant = events.tenant
                                AND piece.sha256 = substr(cuts, cut * 36 + 5, 32)
                        ) AS content
                    FROM generate_series(0, length(cuts) / 36 - 1) AS cut
                ) AS cut_out
            ) AS parts
        ) END,
        'UTF8'
    ) AS body,
    convert_from(metadata, 'UTF8') AS metadata,
    redacted,
    origin_version
FROM agentlog.events
WHERE tenant = (SELECT agentlog_analytics.tenant());

COMMENT ON VIEW agentlog_analytics.events IS
    'One row an event of the log, as it was appended: what all other tables are made of.';
COMMENT ON COLUMN agentlog_analytics.events.tenant IS 'whose thread it is';
COMMENT ON COLUMN agentlog_analytics.events.thread_id IS 'the thread';
COMMENT ON COLUMN agentlog_analytics.events.version IS 'place in the thread, from 1';
COMMENT ON COLUMN agentlog_analytics.events.position IS 'place in the log, in the order of commits';
COMMENT ON COLUMN agentlog_analytics.events.type IS 'such as reply or tool_calls';
COMMENT ON COLUMN agentlog_analytics.events.message_id IS 'ULID';
COMMENT ON COLUMN agentlog_analytics.events.recorded_at IS
    'when the log took it, by the store''s clock';
COMMENT ON COLUMN agentlog_analytics.events.body IS
    'the message as JSON text; a member is body::json ->> ''text'', which fails where that holds NUL';
COMMENT ON COLUMN agentlog_analytics.events.metadata IS
    'the metadata as JSON text, NULL where there is none';
COMMENT ON COLUMN agentlog_analytics.events.redacted IS
    'version of the redaction that erased the content, NULL where it is as it was appended';
COMMENT ON COLUMN agentlog_analytics.events.origin_version IS
    'of an event that a fork made: the version of its origin that it was copied from; else NULL';

-- As of when the tables are that analysts see: those that have a view.
CREATE VIEW agentlog_analytics.progress WITH (security_barrier) AS
SELECT name, position
FROM (
    SELECT 'events' COLLATE "C" AS name, position FROM agentlog.counter
    UNION ALL
    SELECT live.name, tracking.notification_id
    FROM agentlog.projections AS live
    JOIN agentlog.tracking AS tracking
        ON tracking.application_name = live.name || '.' || live.build
    WHERE live.state = 'live'
        AND to_regclass('agentlog_analytics.' || quote_ident(live.name)) IS NOT NULL
) AS tables
WHERE (SELECT agentlog_analytics.tenant()) IS NOT NULL;

COMMENT ON VIEW agentlog_analytics.progress IS
    'One row a table of those here: how much of the log is in it.';
COMMENT ON COLUMN agentlog_analytics.progress.name IS 'the table';
COMMENT ON COLUMN agentlog_analytics.progress.position IS
    'every event up to this place in the log is in the table, and none after it';

GRANT SELECT ON agentlog_analytics.events, agentlog_analytics.progress TO PUBLIC;

-- Grants

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
GRANT SELECT ON agentlog.analysts, agentlog.erasures, agentlog.moves TO agentlog_service;

-- A tenant reads, keeps files, and what reads keep for themselves. An audit of a tenant's holds the ledger
-- against the events. Only the owner writes moves: who explains a gap is not who may make one.
GRANT SELECT ON agentlog.events, agentlog.threads, agentlog.thread_search, agentlog.counter,
    agentlog.tracking, agentlog.projections, agentlog.ledger, agentlog.erasures, agentlog.moves
    TO agentlog_tenant;
GRANT SELECT, INSERT ON agentlog.blobs, agentlog.checkpoints, agentlog.tiles TO agentlog_tenant;
GRANT SELECT, INSERT, DELETE ON agentlog.snapshots TO agentlog_tenant;
-- Whoever asks for the time waits for the append under way, by a lock that takes a right to update;
-- this column can have but one value.
GRANT UPDATE (only_row) ON agentlog.counter TO agentlog_tenant;

GRANT SELECT ON agentlog.events_in_blocks TO agentlog_service, agentlog_tenant;

-- Only for the service itself: what a tenant's requests run as sees none of these. Of definitions nothing is
-- changed or deleted: what held when stays known.
GRANT SELECT, INSERT, UPDATE (revoked_at, revoked_by) ON agentlog.keys TO agentlog_service;
GRANT SELECT, INSERT ON agentlog.accesses, agentlog.definitions TO agentlog_service;
GRANT SELECT, INSERT, UPDATE (ended_at, upto, threads, events, grown) ON agentlog.imports
    TO agentlog_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON agentlog.subscriptions, agentlog.deliveries
    TO agentlog_service;

-- The second wall: whatever a query of a tenant's says, it sees the rows of the tenant that its
-- session is set to. In a sub-select, so that the setting is read once a query and not once a row.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'events', 'threads', 'thread_search', 'ledger', 'blobs', 'snapshots', 'checkpoints', 'tiles',
        'erasures', 'moves'
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
