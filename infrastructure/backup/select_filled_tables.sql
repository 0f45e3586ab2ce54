-- Names of tables that must not be lost; the others are filled again from the log.
SELECT relname
FROM pg_class
WHERE relnamespace = to_regnamespace('agentlog')
    AND relkind IN ('r', 'p')
    AND relname NOT IN (
        'migrations', 'counter', 'tracking', 'projections', 'snapshots', 'tiles', 'analysts'
    )
ORDER BY relname = 'events' DESC, relname
