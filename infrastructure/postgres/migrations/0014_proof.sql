-- What the service's role may no longer do, what shows a content that is missing, and where no figures are
-- kept of what may have to be erased. See docs/audit.md and docs/erasure.md.

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

-- Contents that a redaction took from an event: those that no event refers to any more are deleted. The
-- service can delete no others.
CREATE TABLE agentlog.loose_blobs (
    tenant text COLLATE "C" NOT NULL,
    sha256 bytea NOT NULL,
    PRIMARY KEY (tenant, sha256)
);
ALTER TABLE agentlog.loose_blobs ENABLE ROW LEVEL SECURITY;

REVOKE DELETE ON agentlog.blobs FROM agentlog_service;

CREATE OR REPLACE FUNCTION agentlog.redact_events(
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

REVOKE EXECUTE ON FUNCTION
    agentlog.unreferenced(text, bytea[], bigint), agentlog.delete_unreferenced(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION agentlog.delete_unreferenced(text) TO agentlog_service;

-- An audit of a tenant's holds the ledger against the events.
GRANT SELECT ON agentlog.ledger TO agentlog_tenant;

-- Snapshots are sealed by a key that is not in the database, and the seal covers the link.
TRUNCATE agentlog.snapshots;
ALTER TABLE agentlog.snapshots DROP COLUMN chain;

-- A content that is missing is not read as empty: a text in its place says so, as in infrastructure/eventlog/body_deduplication.py.
CREATE OR REPLACE FUNCTION agentlog.body_of(tenant text, body bytea, cuts bytea) RETURNS bytea
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
    redacted
FROM agentlog.events
WHERE tenant = (SELECT agentlog_analytics.tenant());

-- Figures for the planner hold values: none are kept of what may be erased. To change a column's type, be it
-- to the same, takes away those there are.
DROP TRIGGER threads_note_first_facts ON agentlog.threads;
DROP TRIGGER threads_note_facts ON agentlog.threads;
DROP TRIGGER threads_note_move ON agentlog.threads;
DROP TRIGGER threads_forget_facts ON agentlog.threads;
ALTER TABLE agentlog.threads
    ALTER COLUMN goal TYPE text,
    ALTER COLUMN facts TYPE bytea;
ALTER TABLE agentlog.threads
    ALTER COLUMN goal SET STATISTICS 0,
    ALTER COLUMN facts SET STATISTICS 0;
ALTER TABLE agentlog.thread_search
    ALTER COLUMN content TYPE text,
    ALTER COLUMN words TYPE tsvector,
    ALTER COLUMN metadata TYPE jsonb;
ALTER TABLE agentlog.thread_search
    ALTER COLUMN content SET STATISTICS 0,
    ALTER COLUMN words SET STATISTICS 0,
    ALTER COLUMN metadata SET STATISTICS 0;
CREATE TRIGGER threads_note_first_facts AFTER INSERT ON agentlog.threads
    FOR EACH ROW WHEN (NEW.facts IS NOT NULL) EXECUTE FUNCTION agentlog.note_facts();
CREATE TRIGGER threads_note_facts AFTER UPDATE OF facts ON agentlog.threads
    FOR EACH ROW WHEN (NEW.facts IS DISTINCT FROM OLD.facts)
    EXECUTE FUNCTION agentlog.note_facts();
CREATE TRIGGER threads_note_move AFTER UPDATE OF position, status ON agentlog.threads
    FOR EACH ROW WHEN (NEW.facts IS NOT NULL) EXECUTE FUNCTION agentlog.note_move();
CREATE TRIGGER threads_forget_facts AFTER DELETE ON agentlog.threads
    FOR EACH ROW WHEN (OLD.facts IS NOT NULL) EXECUTE FUNCTION agentlog.forget_facts();
