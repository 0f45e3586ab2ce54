-- Fails if rows were written since the check, so that only empty tables are dropped next.
LOCK TABLE agentlog.events IN ACCESS EXCLUSIVE MODE;
DO $$
BEGIN
    IF EXISTS (SELECT FROM agentlog.events) THEN
        RAISE EXCEPTION 'another service has begun to write to this log: stop the services that use it';
    END IF;
END
$$;
DROP SCHEMA agentlog, agentlog_readmodels, agentlog_analytics CASCADE;
