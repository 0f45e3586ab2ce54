-- The log: one table of events, one row a thread for its head, one row for the log's counter.
-- Keys begin with tenant and thread, so that the tables can be distributed by thread later.
-- Ids compare by code point everywhere, whatever the database was made with.

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
    chain       bytea       NOT NULL, -- link of the thread's hash chain, see domain/chain.py
    metadata    bytea,                -- JSON object, NULL where there is none
    PRIMARY KEY (tenant, thread_id, version),
    CONSTRAINT events_message_id_once UNIQUE (tenant, thread_id, message_id)
);

CREATE INDEX events_by_position ON agentlog.events (tenant, position);

CREATE FUNCTION agentlog.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on agentlog.% is refused: the log only grows', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER events_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON agentlog.events
    FOR EACH STATEMENT EXECUTE FUNCTION agentlog.refuse_change();

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
    PRIMARY KEY (tenant, thread_id)
);

CREATE INDEX threads_by_recency ON agentlog.threads (tenant, position DESC);
CREATE INDEX threads_by_status ON agentlog.threads (tenant, status, position DESC);
CREATE INDEX threads_by_parent ON agentlog.threads (tenant, parent, position DESC)
    WHERE parent IS NOT NULL;

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

-- How far each reader of the log has come.
CREATE TABLE agentlog.tracking (
    application_name text COLLATE "C" PRIMARY KEY,
    notification_id  bigint NOT NULL
) WITH (fillfactor = 50);
