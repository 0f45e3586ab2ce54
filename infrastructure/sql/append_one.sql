-- What append.sql does, for one message of a thread that is there, and with no facts of the thread and
-- nothing for its ledger in it: single values, where making and reading thirty arrays would cost as
-- much as all the rest. Each step follows from the one before, so that a message whose id is there
-- already ends it, and nobody has to look for that first.
WITH held AS MATERIALIZED (
    SELECT
    FROM agentlog.counter
    WHERE position = %(previous)b AND recorded_at < %(recorded_at)b
    FOR UPDATE
),
onward AS MATERIALIZED (
    SELECT
    FROM held
    WHERE clock_timestamp() BETWEEN %(recorded_at)b - interval '1 second'
                                AND %(recorded_at)b - interval '1 microsecond'
),
appended AS (
    INSERT INTO agentlog.events (
        tenant, thread_id, version, position, type, message_id, recorded_at,
        body, body_sha256, chain, metadata
    )
    SELECT %(tenant)b, %(thread_id)b, %(version)b, %(position)b, %(type)b, %(message_id)b,
           %(recorded_at)b, %(body)b, %(body_digest)b, %(chain)b, %(metadata)b::bytea
    FROM onward
    ON CONFLICT (tenant, thread_id, message_id) DO NOTHING
    RETURNING version
),
moved AS (
    UPDATE agentlog.threads SET
        version = appended.version,
        position = %(position)b,
        chain = %(chain)b,
        status = %(status)b,
        anomalies = %(anomalies)b,
        updated_at = %(recorded_at)b
    FROM appended
    WHERE tenant = %(tenant)b AND thread_id = %(thread_id)b
)
UPDATE agentlog.counter
SET position = %(position)b, recorded_at = %(recorded_at)b
FROM appended
RETURNING clock_timestamp(), pg_notify('agentlog', counter.position::text)
