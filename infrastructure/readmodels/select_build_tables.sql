-- Builds with their tables; NULL in place of a build whose table is of none, or of a table that is
-- not there. One statement, as a build and its table come and go together.
SELECT name, build, version, relname
FROM agentlog.projections
FULL JOIN (
    SELECT relname
    FROM pg_class
    WHERE relnamespace = 'agentlog_readmodels'::regnamespace
      AND relkind NOT IN ('i', 'I', 'S', 't')
) AS tables ON relname = name || '_' || build
ORDER BY relname, name, build
