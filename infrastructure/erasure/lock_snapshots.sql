-- Held until commit, so that nobody adds snapshots of the thread meanwhile.
SELECT pg_advisory_xact_lock(hashtextextended(%(tenant)s || ' ' || %(thread_id)s, 0))
