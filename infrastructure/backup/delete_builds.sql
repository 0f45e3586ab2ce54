-- Deletes the state and positions of builds: a backup does not contain the tables of read models.
DELETE FROM agentlog.tracking AS tracking
USING agentlog.projections AS build
WHERE tracking.application_name = build.name || '.' || build.build;
DELETE FROM agentlog.projections;
