-- Lists of threads by recency, status, parent, metadata and words, each from an index and in pages;
-- and a thread's messages by type.

-- Every list is by position, so the three indexes that an append moves hold it, each after a filter
-- that is exact. They ascend and are read backwards: an index that grows at its end splits into full
-- pages.
DROP INDEX agentlog.threads_by_recency, agentlog.threads_by_status, agentlog.threads_by_parent;
CREATE INDEX threads_by_recency ON agentlog.threads (tenant, position);
CREATE INDEX threads_by_status ON agentlog.threads (tenant, status, position);
CREATE INDEX threads_by_parent ON agentlog.threads (tenant, parent, status, position)
    WHERE parent IS NOT NULL;

-- Each append leaves a dead version of its head: vacuum long before a fifth of the table is dead.
ALTER TABLE agentlog.threads SET (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000
);

CREATE INDEX events_by_type ON agentlog.events (tenant, thread_id, type, version);

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

-- Once a statement, for all heads that it moved. By the primary key, whatever was known of the table
-- when the plan was made: that may have been while it was empty.
CREATE FUNCTION agentlog.note_moves() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    UPDATE agentlog.thread_search AS known
    SET position = moved.position, status = moved.status
    FROM moved
    WHERE known.tenant = moved.tenant
      AND known.thread_id = moved.thread_id
      AND moved.facts IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE TRIGGER threads_note_moves AFTER UPDATE ON agentlog.threads
    REFERENCING NEW TABLE AS moved
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.note_moves();

CREATE FUNCTION agentlog.forget_facts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM agentlog.thread_search WHERE tenant = OLD.tenant AND thread_id = OLD.thread_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER threads_forget_facts AFTER DELETE ON agentlog.threads
    FOR EACH ROW WHEN (OLD.facts IS NOT NULL) EXECUTE FUNCTION agentlog.forget_facts();

-- What is there already.
INSERT INTO agentlog.thread_search (
    tenant, thread_id, position, status, parent, content, words, metadata
)
SELECT tenant, thread_id, position, status, parent, found, agentlog.lexemes_of(tenant, found),
       agentlog.scalars_of(facts, 1000)
FROM agentlog.threads
CROSS JOIN LATERAL agentlog.content_of(thread_id, goal) AS found
WHERE facts IS NOT NULL;
