-- Read models: tables that projections fill from the log, made anew beside the old where they change.

-- Their tables, one a build of a projection. Nothing but projections writes here, and any of it may be
-- dropped: it comes again from the log.
CREATE SCHEMA agentlog_readmodels;

-- What analysts see: views of the builds that are live, under names that stay.
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
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
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
