-- What a redaction may leave of an event, bound by its link when it is appended: the `left_digests` of
-- domain/redaction.py. NULL in events of before, whose links do not cover it.
ALTER TABLE agentlog.events ADD COLUMN left_sha256 bytea;

-- As before; what may be left is as little changed as the link.
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
            NEW.recorded_at, NEW.body_sha256, NEW.left_sha256, NEW.chain
        ) IS NOT DISTINCT FROM (
            OLD.tenant, OLD.thread_id, OLD.version, OLD.position, OLD.type, OLD.message_id,
            OLD.recorded_at, OLD.body_sha256, OLD.left_sha256, OLD.chain
        )
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION
        'UPDATE on agentlog.events is refused: the log only grows; content goes by a redaction'
        USING ERRCODE = 'restrict_violation';
END
$$;
