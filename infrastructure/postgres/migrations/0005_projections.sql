-- Read models: tables that projections fill from the log, made anew beside the old where they change.

-- Their tables, one a build of a projection. Nothing but projections writes here, and any of it may be
-- dropped: it comes again from the log. What is there already is of a log that was dropped.
DROP SCHEMA IF EXISTS agentlog_readmodels CASCADE;
CREATE SCHEMA agentlog_readmodels;

-- What analysts see: views of the builds that are live, under names that stay.
DROP SCHEMA IF EXISTS agentlog_analytics CASCADE;
CREATE SCHEMA agentlog_analytics;

-- The builds. How far each has come stands in agentlog.tracking, under `name.build`, and moves in the
-- transaction that writes its rows.
CREATE TABLE agentlog.projections (
    name       text COLLATE "C" NOT NULL,
    build      integer     NOT NULL, -- counts up with each rebuild
    version    integer     NOT NULL, -- of the code that fills it
    state      text COLLATE "C" NOT NULL CHECK (state IN ('building', 'live')),
    paused     boolean     NOT NULL DEFAULT false,
    stopped_at bigint,               -- position of the event that it cannot process
    error      text,                 -- why
    started_at timestamptz NOT NULL DEFAULT now(),
    live_at    timestamptz,
    PRIMARY KEY (name, build),
    CHECK ((stopped_at IS NULL) = (error IS NULL))
);

CREATE UNIQUE INDEX projections_live_once ON agentlog.projections (name) WHERE state = 'live';
CREATE UNIQUE INDEX projections_building_once ON agentlog.projections (name)
    WHERE state = 'building';

-- Its row of tracking is updated with each batch of a projection: the default would let a hundred
-- million dead versions gather.
ALTER TABLE agentlog.tracking SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000
);

-- Which tenant a login role of analysts belongs to.
CREATE TABLE agentlog.analysts (
    role   text COLLATE "C" PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL
);

-- Whose rows the views of analysts show. A role that is bound to a tenant cannot be talked out of it;
-- whoever may read the log itself says whose by the setting agentlog.tenant.
CREATE FUNCTION agentlog_analytics.tenant() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(
        (SELECT tenant FROM agentlog.analysts WHERE role = session_user),
        CASE
            WHEN has_table_privilege(session_user, 'agentlog.events', 'SELECT')
            THEN current_setting('agentlog.tenant', true)
        END
    )
$$;

-- Whoever is admitted to the database may ask the views; what they show is decided by tenant() alone,
-- and is nothing for a role that is bound to no tenant. So a view that is made anew needs no grants of
-- its own for each analyst. The tables behind the views stay closed to everybody.
GRANT USAGE ON SCHEMA agentlog_analytics TO PUBLIC;
GRANT EXECUTE ON FUNCTION agentlog_analytics.tenant() TO PUBLIC;

-- The log itself. What was cut out of a body is put back in place here, as in agentlog.body_of: a
-- function that a view calls runs with the rights of whoever asks, who has none on agentlog.blobs,
-- while the tables of a view are read with the rights of its owner.
CREATE VIEW agentlog_analytics.events WITH (security_barrier) AS
SELECT
    tenant,
    thread_id,
    version,
    position,
    type,
    message_id,
    recorded_at,
    convert_from(
        CASE WHEN cuts IS NULL THEN body ELSE (
            SELECT string_agg(
                substr(body, before + 1, place - before) || coalesce(
                    CASE WHEN in_base64
                    THEN convert_to(translate(encode(content, 'base64'), E'\n', ''), 'UTF8')
                    ELSE content END,
                    ''
                ),
                '' ORDER BY cut
            ) || substr(body, max(place) + 1)
            FROM (
                SELECT
                    cut,
                    head & 2147483647 AS place,
                    coalesce(lag(head & 2147483647) OVER (ORDER BY cut), 0) AS before,
                    head < 0 AS in_base64,
                    (
                        SELECT string_agg(piece.content, '' ORDER BY piece.piece)
                        FROM agentlog.blobs AS piece
                        WHERE piece.tenant = events.tenant
                            AND piece.sha256 = substr(cuts, cut * 36 + 5, 32)
                    ) AS content
                FROM generate_series(0, length(cuts) / 36 - 1) AS cut
                CROSS JOIN LATERAL (
                    SELECT ('x' || encode(substr(cuts, cut * 36 + 1, 4), 'hex'))::bit(32)::integer
                ) AS heads (head)
            ) AS parts
        ) END,
        'UTF8'
    ) AS body,
    convert_from(metadata, 'UTF8') AS metadata
FROM agentlog.events
WHERE tenant = (SELECT agentlog_analytics.tenant());

COMMENT ON VIEW agentlog_analytics.events IS
    'One row an event of the log, as it was appended: what all other tables are made of.';
COMMENT ON COLUMN agentlog_analytics.events.tenant IS 'whose thread it is';
COMMENT ON COLUMN agentlog_analytics.events.thread_id IS 'the thread';
COMMENT ON COLUMN agentlog_analytics.events.version IS 'place in the thread, from 1';
COMMENT ON COLUMN agentlog_analytics.events.position IS 'place in the log, in the order of commits';
COMMENT ON COLUMN agentlog_analytics.events.type IS 'such as reply or tool_calls';
COMMENT ON COLUMN agentlog_analytics.events.message_id IS 'ULID';
COMMENT ON COLUMN agentlog_analytics.events.recorded_at IS
    'when the log took it, by the store''s clock';
COMMENT ON COLUMN agentlog_analytics.events.body IS
    'the message as JSON text; a member is body::json ->> ''text'', which fails where that holds NUL';
COMMENT ON COLUMN agentlog_analytics.events.metadata IS
    'the metadata as JSON text, NULL where there is none';

-- As of when the tables are.
CREATE VIEW agentlog_analytics.progress WITH (security_barrier) AS
SELECT name, position
FROM (
    SELECT 'events' COLLATE "C" AS name, position FROM agentlog.counter
    UNION ALL
    SELECT live.name, tracking.notification_id
    FROM agentlog.projections AS live
    JOIN agentlog.tracking AS tracking
        ON tracking.application_name = live.name || '.' || live.build
    WHERE live.state = 'live'
) AS tables
WHERE (SELECT agentlog_analytics.tenant()) IS NOT NULL;

COMMENT ON VIEW agentlog_analytics.progress IS
    'One row a table of those here: how much of the log is in it.';
COMMENT ON COLUMN agentlog_analytics.progress.name IS 'the table';
COMMENT ON COLUMN agentlog_analytics.progress.position IS
    'every event up to this place in the log is in the table, and none after it';

GRANT SELECT ON agentlog_analytics.events, agentlog_analytics.progress TO PUBLIC;
