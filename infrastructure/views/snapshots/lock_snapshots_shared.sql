SELECT pg_advisory_xact_lock_shared(hashtextextended(%(tenant)s || ' ' || %(thread_id)s, 0))
