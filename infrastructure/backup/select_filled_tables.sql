-- Tables of the log that may not be lost, as they are called: what else there is comes again by itself.
SELECT relname
FROM pg_class
WHERE relnamespace = to_regnamespace('agentlog')
    AND relkind IN ('r', 'p')
    AND relname NOT IN (
        'migrations', 'counter', 'tracking', 'projections', 'snapshots', 'tiles', 'analysts'
    )
ORDER BY relname = 'events' DESC, relname
