-- Carries of views at some versions, so that a long thread is not folded from its start again.
-- Reads make them, appends never do. They are no part of the log: any row may be deleted and the
-- table truncated at any time, and whoever erases a message deletes its thread's rows here too.

CREATE TABLE agentlog.snapshots (
    tenant    text COLLATE "C" NOT NULL,
    thread_id text COLLATE "C" NOT NULL,
    view      text COLLATE "C" NOT NULL,
    options   text COLLATE "C" NOT NULL, -- of the view, as JSON
    format    text COLLATE "C" NOT NULL, -- rows of another one are never read
    version   bigint NOT NULL, -- the carry is that just after it
    chain     bytea  NOT NULL, -- of that event: says of which history this is a carry
    carry     bytea,           -- without its lists, after the version these began at; NULL
                               -- where it is too large for what it saves
    grown     bytea,           -- its lists, from where the row before stands; NULL where all are empty
    PRIMARY KEY (tenant, thread_id, view, options, format, version)
);

-- compressed by whoever writes them
ALTER TABLE agentlog.snapshots
    ALTER COLUMN carry SET STORAGE EXTERNAL,
    ALTER COLUMN grown SET STORAGE EXTERNAL;
