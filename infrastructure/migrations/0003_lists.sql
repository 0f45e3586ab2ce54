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

-- What is searched for, twice. With the head, where a walk by recency meets it; and apart from it,
-- where an index finds it: an append moves the head in all its indexes, and this one is the dearest.
-- Where nothing but messages was ever said of a thread there is neither.
ALTER TABLE agentlog.threads
    ADD words tsvector,  -- of the goal, and one that stands for the tenant
    ADD metadata jsonb;  -- its top-level keys whose values are scalars

CREATE TABLE agentlog.thread_search (
    tenant    text COLLATE "C" NOT NULL,
    thread_id text COLLATE "C" NOT NULL,
    words     tsvector NOT NULL,
    metadata  jsonb    NOT NULL,
    PRIMARY KEY (tenant, thread_id)
);

-- A search also reads what is pending, so that is kept short.
CREATE INDEX thread_search_by_content ON agentlog.thread_search
    USING gin (words, metadata jsonb_path_ops) WITH (gin_pending_list_limit = 256);

-- Words in lower case: runs of letters and digits, in pieces of 64, and each other character by
-- itself, as each of a script that is written without spaces. No extension, and no language's
-- stemming. Only the first 4,000 characters count, so that no goal makes an append slow.
CREATE FUNCTION agentlog.words_of(content text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_remove(
        regexp_split_to_array(
            regexp_replace(
                lower(left(content, 4000)),
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

-- One lexeme stands for the tenant: it begins with a space, as no word does.
CREATE FUNCTION agentlog.lexemes_of(tenant text, content text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_tsvector(
        array_append(coalesce(agentlog.words_of(content), '{}'), ' ' || md5(tenant))
    )
$$;

-- Every word must begin a word of the goal.
CREATE FUNCTION agentlog.words_query(tenant text, content text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat_ws(
        ' & ',
        quote_literal(' ' || md5(tenant)),
        (
            SELECT string_agg(
                '''' || replace(replace(word, '\', '\\'), '''', '''''') || ''':*', ' & '
            )
            FROM unnest(agentlog.words_of(content)) AS word
        )
    )::tsquery
$$;

-- A scalar of JSON, which takes numbers that jsonb refuses: those stand as their text.
CREATE FUNCTION agentlog.scalar_of(value json) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN json_typeof(value) <> 'number'
            OR value::text ~ '^-?[0-9]{1,300}(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?$'
        THEN value::jsonb
        ELSE to_jsonb(value::text)
    END
$$;

-- The keys of a thread's metadata whose values are scalars of at most 1,000 characters; never fails,
-- because it would take an append with it. NUL, which jsonb refuses, is U+FFFD.
CREATE FUNCTION agentlog.scalars_of(facts bytea) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_object_agg(key, agentlog.scalar_of(value)), '{}')
        FROM json_each(
            regexp_replace(
                convert_from(facts, 'UTF8'), '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g'
            )::json -> 'metadata'
        )
        WHERE json_typeof(value) NOT IN ('object', 'array') AND length(value::text) <= 1000
    );
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN '{}';
END
$$;

-- By trigger, so that whatever writes heads keeps searches right. An append that changes no facts pays
-- for a comparison. After the insert, not before it: ON CONFLICT would come by here with each append.
CREATE FUNCTION agentlog.note_facts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    found_words tsvector := agentlog.lexemes_of(NEW.tenant, NEW.goal);
    found_metadata jsonb := agentlog.scalars_of(NEW.facts);
BEGIN
    UPDATE agentlog.threads
    SET words = found_words, metadata = found_metadata
    WHERE tenant = NEW.tenant AND thread_id = NEW.thread_id;
    INSERT INTO agentlog.thread_search (tenant, thread_id, words, metadata)
    VALUES (NEW.tenant, NEW.thread_id, found_words, found_metadata)
    ON CONFLICT (tenant, thread_id) DO UPDATE SET
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

CREATE FUNCTION agentlog.forget_facts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM agentlog.thread_search WHERE tenant = OLD.tenant AND thread_id = OLD.thread_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER threads_forget_facts AFTER DELETE ON agentlog.threads
    FOR EACH ROW WHEN (OLD.facts IS NOT NULL) EXECUTE FUNCTION agentlog.forget_facts();

-- What is there already.
UPDATE agentlog.threads
SET words = agentlog.lexemes_of(tenant, goal), metadata = agentlog.scalars_of(facts)
WHERE facts IS NOT NULL;

INSERT INTO agentlog.thread_search (tenant, thread_id, words, metadata)
SELECT tenant, thread_id, words, metadata
FROM agentlog.threads
WHERE facts IS NOT NULL;
