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

-- Only for the service itself.
GRANT SELECT, INSERT, UPDATE (ended_at, upto, threads, events, grown) ON agentlog.imports
    TO agentlog_service;
