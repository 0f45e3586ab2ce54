-- Deletes the state and positions of what reads the log: a backup contains neither the tables of read
-- models nor those of users' own projections.
DELETE FROM agentlog.tracking;
DELETE FROM agentlog.projections;
-- The service that was backed up may still post to them. A backup of an older version has none.
DO $$
BEGIN
    IF to_regclass('agentlog.subscriptions') IS NOT NULL THEN
        UPDATE agentlog.subscriptions
        SET paused_at = now(), paused_why = 'it was restored from a backup'
        WHERE url IS NOT NULL AND paused_at IS NULL;
    END IF;
END
$$;
