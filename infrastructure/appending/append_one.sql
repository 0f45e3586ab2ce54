-- append.sql for one message of an existing thread, without facts of the thread and without a
-- ledger entry. It takes scalars: thirty arrays would cost as much as all the rest. Each step
-- depends on the one before, so a message whose id exists already ends the statement without a
-- look-up.
--
-- Time and link are computed after the lock is granted (hence the sub-selects). The link is that of
-- domain/integrity/hash_chain.py: `before` and `after` are the bytes it covers around the time.
WITH linked AS MATERIALIZED (
    SELECT recorded_at, sha256(%(before)b::bytea || convert_to(time, 'UTF8') || %(after)b) AS chain
    FROM (
        SELECT recorded_at, length(microseconds) || ':' || microseconds AS time
        FROM (
            SELECT recorded_at,
                   (extract(epoch FROM recorded_at) * 1000000)::bigint::text AS microseconds
            FROM (
                SELECT greatest(clock_timestamp(), recorded_at + interval '1 microsecond')
                       AS recorded_at
                FROM (
                    SELECT recorded_at
                    FROM agentlog.counter
                    WHERE position = %(previous)b
                    FOR UPDATE
                ) AS held
            ) AS stamped
        ) AS counted
    ) AS printed
),
appended AS (
    INSERT INTO agentlog.events (
        tenant, thread_id, version, position, type, message_id, recorded_at,
        body, body_sha256, chain, metadata
    )
    SELECT %(tenant)b, %(thread_id)b, %(version)b, %(position)b, %(type)b, %(message_id)b,
           recorded_at, %(body)b, %(body_digest)b, chain, %(metadata)b::bytea
    FROM linked
    ON CONFLICT (tenant, thread_id, message_id) DO NOTHING
    RETURNING version, recorded_at, chain
),
moved AS (
    UPDATE agentlog.threads SET
        version = appended.version,
        position = %(position)b,
        chain = appended.chain,
        status = %(status)b,
        anomalies = %(anomalies)b,
        updated_at = appended.recorded_at
    FROM appended
    WHERE tenant = %(tenant)b AND thread_id = %(thread_id)b
)
UPDATE agentlog.counter
SET position = %(position)b, recorded_at = appended.recorded_at
FROM appended
RETURNING chain, pg_notify('agentlog', counter.position::text)
