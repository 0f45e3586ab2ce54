-- Signed checkpoints of a tenant's log, and what makes proofs quick. See docs/audit.md.

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

CREATE TRIGGER checkpoints_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON agentlog.checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();

-- Roots of complete subtrees of 1,024 leaves each, in order. They come again from the events: the table
-- may be truncated at any time.
CREATE TABLE agentlog.tiles (
    tenant        text COLLATE "C" NOT NULL,
    number        bigint NOT NULL, -- from 0
    root          bytea  NOT NULL,
    last_position bigint NOT NULL, -- of its last leaf
    PRIMARY KEY (tenant, number)
);
