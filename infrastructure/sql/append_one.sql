-- What append.sql does, for one message of a thread that is there, and with no facts of the thread in
-- it: single values, where making and reading thirty arrays would cost as much as all the rest.
WITH held AS MATERIALIZED (
    SELECT position, recorded_at
    FROM agentlog.counter
    FOR UPDATE
),
onward AS MATERIALIZED (
    SELECT clock_timestamp() AS clock
    FROM held
    WHERE position = %(previous)b
      AND held.recorded_at < %(recorded_at)b
      AND clock_timestamp() BETWEEN %(recorded_at)b - interval '1 second'
                                AND %(recorded_at)b - interval '1 microsecond'
      AND NOT EXISTS (
          SELECT
          FROM agentlog.events
          WHERE tenant = %(tenant)b AND thread_id = %(thread_id)b AND message_id = %(message_id)b
      )
      AND NOT EXISTS (
          SELECT
          FROM unnest(%(kinds)b::text[], %(ids)b::bytea[], %(assumed)b::boolean[])
              AS new (kind, id_sha256, assumed)
          CROSS JOIN LATERAL (
              SELECT
              FROM agentlog.ledger
              WHERE ledger.tenant = %(tenant)b
                AND ledger.thread_id = %(thread_id)b
                AND ledger.kind = new.kind
                AND ledger.id_sha256 = new.id_sha256
              LIMIT 1
          ) AS known
          WHERE new.assumed
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
),
moved AS (
    UPDATE agentlog.threads SET
        version = %(version)b,
        position = %(position)b,
        chain = %(chain)b,
        status = %(status)b,
        anomalies = %(anomalies)b,
        updated_at = %(recorded_at)b
    FROM onward
    WHERE tenant = %(tenant)b AND thread_id = %(thread_id)b
),
noted AS (
    INSERT INTO agentlog.ledger (tenant, thread_id, kind, id_sha256, asked, answered)
    SELECT %(tenant)b, %(thread_id)b, kind, id_sha256, asked, answered
    FROM onward, unnest(
        %(kinds)b::text[], %(ids)b::bytea[], %(asked)b::bigint[], %(answered)b::bigint[]
    ) AS new (kind, id_sha256, asked, answered)
    ON CONFLICT (tenant, thread_id, kind, id_sha256) DO UPDATE SET
        asked = excluded.asked,
        answered = excluded.answered
)
UPDATE agentlog.counter
SET position = %(position)b, recorded_at = %(recorded_at)b
FROM onward
RETURNING clock, pg_notify('agentlog', counter.position::text)
