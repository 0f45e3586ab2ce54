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

-- What was cut out of a body, in its order: for each blob four bytes for its place in what is left, the
-- highest bit set where the body has it in base64, and 32 of the SHA-256. NULL where nothing was cut out.
ALTER TABLE agentlog.events ADD COLUMN cuts bytea;

COMMENT ON COLUMN agentlog.events.body IS
    'the message as JSON, less what was cut out of it: use agentlog.body_of(tenant, body, cuts)';

-- The body as it was appended, for whoever reads by SQL. It is what `body_sha256` is of.
CREATE FUNCTION agentlog.body_of(tenant text, body bytea, cuts bytea) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    whole bytea := '';
    done integer := 0;
    place bigint;
    found bytea;
BEGIN
    FOR cut IN 0 .. coalesce(length(cuts), 0) / 36 - 1 LOOP
        place := ('x' || encode(substr(cuts, cut * 36 + 1, 4), 'hex'))::bit(32)::bigint;
        SELECT string_agg(content, '' ORDER BY piece)
        INTO found
        FROM agentlog.blobs
        WHERE blobs.tenant = body_of.tenant AND sha256 = substr(body_of.cuts, cut * 36 + 5, 32);
        IF place >= 2147483648 THEN
            place := place - 2147483648;
            found := convert_to(translate(encode(found, 'base64'), E'\n', ''), 'UTF8');
        END IF;
        whole := whole || substr(body, done + 1, place::integer - done) || coalesce(found, '');
        done := place;
    END LOOP;
    RETURN whole || substr(body, done + 1);
END
$$;
