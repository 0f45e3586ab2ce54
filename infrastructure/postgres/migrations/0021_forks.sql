-- Forks: threads that begin with a copy of another's messages. See domain/forks.py.

-- Of an event that a fork made: the origin's version that it was copied from, or that an edit put it at.
-- It is no part of the link: it follows from the fork's first fact, and an audit compares it with that.
ALTER TABLE agentlog.events ADD COLUMN origin_version bigint;

-- The thread that a fork was copied from; erasures follow it, and trees of forks are read by it.
ALTER TABLE agentlog.threads ADD COLUMN origin text COLLATE "C";
CREATE INDEX threads_by_origin ON agentlog.threads (tenant, origin) WHERE origin IS NOT NULL;

CREATE OR REPLACE VIEW agentlog.events_in_blocks AS
SELECT tenant, thread_id, version, position, type, message_id, recorded_at, body, metadata, cuts,
       redacted, version >> 6 AS block, origin_version
FROM agentlog.events
WHERE tenant = (SELECT current_setting('agentlog.tenant', true))
    OR (SELECT pg_has_role('agentlog_service', 'MEMBER'));

-- As before; where an event was copied from is as little changed as its link.
CREATE OR REPLACE FUNCTION agentlog.allow_redaction() RETURNS trigger
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

-- Analysts can leave copies out, which are events of the origin too.
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
    redacted,
    origin_version
FROM agentlog.events
WHERE tenant = (SELECT agentlog_analytics.tenant());

COMMENT ON COLUMN agentlog_analytics.events.origin_version IS
    'of an event that a fork made: the version of its origin that it was copied from; else NULL';
