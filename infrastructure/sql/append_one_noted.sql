-- As append_one.sql, for a message with one entry for the ledger of its thread; `assumed` if that is
-- taken for a new one.
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
      AND NOT EXISTS (
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
),
noted AS (
    INSERT INTO agentlog.ledger (tenant, thread_id, kind, id_sha256, asked, answered)
    SELECT %(tenant)b, %(thread_id)b, %(kind)b, %(id)b, %(asked)b, %(answered)b::bigint
    FROM appended
    ON CONFLICT (tenant, thread_id, kind, id_sha256) DO UPDATE SET
        asked = excluded.asked,
        answered = excluded.answered
)
UPDATE agentlog.counter
SET position = %(position)b, recorded_at = %(recorded_at)b
FROM appended
RETURNING clock_timestamp(), pg_notify('agentlog', counter.position::text)
