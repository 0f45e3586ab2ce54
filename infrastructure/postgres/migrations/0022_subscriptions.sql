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

-- Only for the service itself, as keys are: a secret stands in them.
GRANT SELECT, INSERT, UPDATE, DELETE ON agentlog.subscriptions, agentlog.deliveries
    TO agentlog_service;
