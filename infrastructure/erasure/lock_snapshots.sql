-- Held until commit, so that no snapshots of the thread are added meanwhile.
SELECT pg_advisory_xact_lock(hashtextextended(%(tenant)s || ' ' || %(thread_id)s, 0))
