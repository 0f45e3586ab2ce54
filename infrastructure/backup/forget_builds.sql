-- The tables of read models are not in a backup: no build of them is there, and none has come anywhere.
DELETE FROM agentlog.tracking AS tracking
USING agentlog.projections AS build
WHERE tracking.application_name = build.name || '.' || build.build;
DELETE FROM agentlog.projections;
