-- A thread's messages by type, from an index of a third of the size. With the version itself in the key
-- each event has an entry with tenant, thread and type in full; those of a block of 64 versions share one.
-- Reads go on while it is built and appends wait: five to ten seconds for a million events. Reads wait
-- only for the moment in which the old one goes.
CREATE INDEX events_by_block ON agentlog.events (tenant, thread_id, type, (version >> 6));
DROP INDEX agentlog.events_by_type;
ALTER INDEX agentlog.events_by_block RENAME TO events_by_type;

-- Behind row-level security PostgreSQL looks nothing up by what it computes, as that might leak. So the
-- index is read through this view, with a wall of its own, which is the same: rows of the tenant that the
-- session is set to, and of all tenants for the service itself.
CREATE VIEW agentlog.events_in_blocks AS
SELECT tenant, thread_id, version, position, type, message_id, recorded_at, body, metadata, cuts,
       redacted, version >> 6 AS block
FROM agentlog.events
WHERE tenant = (SELECT current_setting('agentlog.tenant', true))
    OR (SELECT pg_has_role('agentlog_service', 'MEMBER'));

GRANT SELECT ON agentlog.events_in_blocks TO agentlog_service, agentlog_tenant;

-- Nothing is ever looked for by these: to take figures of them was a third of an ANALYZE.
ALTER TABLE agentlog.events
    ALTER COLUMN body SET STATISTICS 0,
    ALTER COLUMN body_sha256 SET STATISTICS 0,
    ALTER COLUMN chain SET STATISTICS 0,
    ALTER COLUMN metadata SET STATISTICS 0;
ALTER TABLE agentlog.blobs ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE agentlog.threads ALTER COLUMN chain SET STATISTICS 0;
