-- Imports, the latest first: all, those below an id, or the one of an id.
SELECT id, at, ended_at, after, upto, paths, threads, events, grown
FROM agentlog.imports
WHERE tenant = %(tenant)s
  AND (%(id)s::text IS NULL OR id = %(id)s)
  AND (%(before)s::text IS NULL OR id < %(before)s)
ORDER BY id DESC
LIMIT %(limit)s
