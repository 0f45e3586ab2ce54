-- append.sql for one message of an existing thread, without facts of the thread, and with one
-- ledger entry at most (`kind` is null without). It takes scalars: thirty arrays cost half as much
-- as all the rest. Each step depends on the one before, so a message whose id exists already ends
-- the statement without a look-up.
WITH linked AS MATERIALIZED (
    SELECT recorded_at,
           agentlog.links(
               recorded_at, ARRAY[%(chain)b::bytea], '{NULL}', ARRAY[%(before)b::bytea],
               ARRAY[%(after)b::bytea]
           ) AS chains
    FROM (
        SELECT greatest(clock_timestamp(), recorded_at + interval '1 microsecond') AS recorded_at
        FROM (
            SELECT recorded_at
            FROM agentlog.counter
            WHERE position = %(previous)b
            FOR UPDATE
        ) AS held
    ) AS stamped
    WHERE NOT EXISTS (
        SELECT
        FROM agentlog.ledger
        WHERE %(assumed)b
          AND tenant = %(tenant)b
          AND thread_id = %(thread_id)b
          AND kind = %(kind)b
          AND id_sha256 = %(id)b
    )
),
appended AS (
    INSERT INTO agentlog.events (
        tenant, thread_id, version, position, type, message_id, recorded_at,
        body, body_sha256, left_sha256, chain, metadata
    )
    SELECT %(tenant)b, %(thread_id)b, %(version)b, %(position)b, %(type)b, %(message_id)b,
           recorded_at, %(body)b, %(body_digest)b, %(left)b, chains[1], %(metadata)b::bytea
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
),
noted AS (
    INSERT INTO agentlog.ledger (tenant, thread_id, kind, id_sha256, asked, answered)
    SELECT %(tenant)b, %(thread_id)b, %(kind)b, %(id)b, %(asked)b, %(answered)b::bigint
    FROM appended
    WHERE %(kind)b::text IS NOT NULL
    ON CONFLICT (tenant, thread_id, kind, id_sha256) DO UPDATE SET
        asked = excluded.asked,
        answered = excluded.answered
)
UPDATE agentlog.counter
SET position = %(position)b, recorded_at = appended.recorded_at
FROM appended
RETURNING ARRAY[chain], pg_notify('agentlog', counter.position::text)
