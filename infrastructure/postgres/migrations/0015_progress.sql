-- As of when the tables are that analysts see: those that have a view.
CREATE OR REPLACE VIEW agentlog_analytics.progress WITH (security_barrier) AS
SELECT name, position
FROM (
    SELECT 'events' COLLATE "C" AS name, position FROM agentlog.counter
    UNION ALL
    SELECT live.name, tracking.notification_id
    FROM agentlog.projections AS live
    JOIN agentlog.tracking AS tracking
        ON tracking.application_name = live.name || '.' || live.build
    WHERE live.state = 'live'
        AND to_regclass('agentlog_analytics.' || quote_ident(live.name)) IS NOT NULL
) AS tables
WHERE (SELECT agentlog_analytics.tenant()) IS NOT NULL;
