-- A whole fork, while the log is locked: events copied from the origin, where their bodies are read,
-- and those that the fork adds; its head and ledger; the counter.
WITH copied AS (
    INSERT INTO agentlog.events (
        tenant, thread_id, version, position, type, message_id, recorded_at, body, cuts, body_sha256,
        left_sha256, chain, metadata, metadata_sha256, redacted, origin_version
    )
    SELECT %(tenant)s, %(thread_id)s, copy.version, copy.position, type, message_id,
           %(recorded_at)s, body, cuts, body_sha256, left_sha256, copy.chain, metadata,
           metadata_sha256, copy.redacted, copy.origin_version
    FROM unnest(
        %(copy_versions)s::bigint[], %(copy_positions)s::bigint[], %(copy_origins)s::bigint[],
        %(copy_redacted)s::bigint[], %(copy_chains)s::bytea[]
    ) AS copy (version, position, origin_version, redacted, chain)
    CROSS JOIN LATERAL (
        SELECT type, message_id, body, cuts, body_sha256, left_sha256, metadata, metadata_sha256
        FROM agentlog.events
        WHERE tenant = %(tenant)s
          AND thread_id = %(origin)s
          AND version = copy.origin_version
        LIMIT 1
    ) AS original
),
added AS (
    INSERT INTO agentlog.events (
        tenant, thread_id, version, position, type, message_id, recorded_at, body, cuts, body_sha256,
        left_sha256, chain, metadata, origin_version
    )
    SELECT %(tenant)s, %(thread_id)s, version, position, type, message_id, %(recorded_at)s, body,
           cuts, body_sha256, left_sha256, chain, metadata, origin_version
    FROM unnest(
        %(versions)s::bigint[], %(positions)s::bigint[], %(types)s::text[],
        %(message_ids)s::text[], %(bodies)s::bytea[], %(cuts)s::bytea[],
        %(body_digests)s::bytea[], %(left)s::bytea[], %(chains)s::bytea[],
        %(metadata)s::bytea[], %(origins)s::bigint[]
    ) AS new (
        version, position, type, message_id, body, cuts, body_sha256, left_sha256, chain, metadata,
        origin_version
    )
),
kept AS (
    INSERT INTO agentlog.blobs (tenant, sha256, piece, content)
    SELECT %(tenant)s, sha256, piece, content
    FROM unnest(%(blob_digests)s::bytea[], %(pieces)s::bigint[], %(contents)s::bytea[])
        AS new (sha256, piece, content)
    ON CONFLICT DO NOTHING
),
noted AS (
    INSERT INTO agentlog.ledger (tenant, thread_id, kind, id_sha256, asked, answered)
    SELECT %(tenant)s, %(thread_id)s, kind, id_sha256, asked, answered
    FROM unnest(
        %(kinds)s::text[], %(ids)s::bytea[], %(asked)s::bigint[], %(answered)s::bigint[]
    ) AS new (kind, id_sha256, asked, answered)
),
headed AS (
    INSERT INTO agentlog.threads (
        tenant, thread_id, version, position, chain, policy, status, anomalies, goal, facts,
        hidden, started_at, updated_at, origin
    )
    VALUES (
        %(tenant)s, %(thread_id)s, %(version)s, %(position)s, %(chain)s, %(policy)s, %(status)s,
        %(anomalies)s, %(goal)s, %(facts)s, false, %(recorded_at)s, %(recorded_at)s,
        %(origin)s
    )
)
UPDATE agentlog.counter
SET position = %(position)s, recorded_at = %(recorded_at)s
RETURNING pg_notify('agentlog', position::text)
