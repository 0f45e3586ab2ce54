-- One statement and one round trip: inserts events and ledger entries, updates heads and counter,
-- and notifies listeners. Parallel arrays, not composites: unnest of those costs several times as
-- much.
--
-- `acted` is of a thread that got another event than remarks: those leave `updated_at` as it is.
--
-- Nothing is written and no row returned unless the log is still at `previous`, and the message ids
-- and ledger entries assumed to be new are. Time and links are computed after the lock is granted
-- (hence the sub-select).
WITH held AS MATERIALIZED (
    SELECT recorded_at
    FROM agentlog.counter
    WHERE position = %(previous)b
    FOR UPDATE
),
onward AS MATERIALIZED (
    SELECT recorded_at,
           agentlog.links(
               recorded_at, %(chains)b::bytea[], %(follows)b::bigint[], %(befores)b::bytea[],
               %(afters)b::bytea[]
           ) AS chains
    FROM (
        SELECT greatest(clock_timestamp(), recorded_at + interval '1 microsecond') AS recorded_at
        FROM held
    ) AS stamped
    WHERE NOT EXISTS (
        SELECT
        FROM unnest(
            %(id_tenants)b::text[], %(id_threads)b::text[], %(assumed_ids)b::text[]
        ) AS new (tenant, thread_id, message_id)
        CROSS JOIN LATERAL (
            SELECT
            FROM agentlog.events
            WHERE events.tenant = new.tenant
              AND events.thread_id = new.thread_id
              AND events.message_id = new.message_id
            LIMIT 1
        ) AS known
    )
    AND NOT EXISTS (
        SELECT
        FROM unnest(
            %(ledger_tenants)b::text[], %(ledger_threads)b::text[], %(kinds)b::text[],
            %(ids)b::bytea[], %(assumed)b::boolean[]
        ) AS new (tenant, thread_id, kind, id_sha256, assumed)
        CROSS JOIN LATERAL (
            SELECT
            FROM agentlog.ledger
            WHERE ledger.tenant = new.tenant
              AND ledger.thread_id = new.thread_id
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
        body, cuts, body_sha256, left_sha256, chain, metadata
    )
    SELECT tenant, thread_id, version, position, type, message_id, recorded_at,
           body, cuts, body_sha256, left_sha256, chain, metadata
    FROM onward, unnest(
        %(event_tenants)b::text[], %(event_threads)b::text[], %(versions)b::bigint[],
        %(positions)b::bigint[], %(types)b::text[], %(message_ids)b::text[], %(bodies)b::bytea[],
        %(cuts)b::bytea[], %(body_digests)b::bytea[], %(left)b::bytea[], onward.chains,
        %(metadata)b::bytea[]
    ) AS new (
        tenant, thread_id, version, position, type, message_id, body, cuts, body_sha256,
        left_sha256, chain, metadata
    )
),
kept AS (
    INSERT INTO agentlog.blobs (tenant, sha256, piece, content)
    SELECT tenant, sha256, piece, content
    FROM onward, unnest(
        %(blob_tenants)b::text[], %(blob_digests)b::bytea[], %(pieces)b::bigint[],
        %(contents)b::bytea[]
    ) AS new (tenant, sha256, piece, content)
    ON CONFLICT DO NOTHING
),
moved AS (
    INSERT INTO agentlog.threads AS head (
        tenant, thread_id, version, position, chain, policy, status, anomalies, parent, goal, facts,
        hidden, started_at, updated_at
    )
    SELECT tenant, thread_id, version, position, onward.chains[last], policy, status, anomalies,
           parent, goal, facts, hidden, recorded_at,
           CASE WHEN acted THEN recorded_at ELSE '-infinity' END
    FROM onward, unnest(
        %(head_tenants)b::text[], %(head_threads)b::text[], %(head_versions)b::bigint[],
        %(head_positions)b::bigint[], %(lasts)b::bigint[], %(policies)b::text[],
        %(statuses)b::text[], %(anomalies)b::bigint[], %(parents)b::text[], %(goals)b::text[],
        %(facts)b::bytea[], %(hidden)b::boolean[], %(acted)b::boolean[]
    ) AS new (
        tenant, thread_id, version, position, last, policy, status, anomalies, parent, goal, facts,
        hidden, acted
    )
    ON CONFLICT (tenant, thread_id) DO UPDATE SET
        version = excluded.version,
        position = excluded.position,
        chain = excluded.chain,
        policy = excluded.policy,
        status = excluded.status,
        anomalies = excluded.anomalies,
        parent = excluded.parent,
        goal = excluded.goal,
        facts = excluded.facts,
        hidden = excluded.hidden,
        updated_at = greatest(head.updated_at, excluded.updated_at)
),
noted AS (
    INSERT INTO agentlog.ledger (tenant, thread_id, kind, id_sha256, asked, answered)
    SELECT tenant, thread_id, kind, id_sha256, asked, answered
    FROM onward, unnest(
        %(ledger_tenants)b::text[], %(ledger_threads)b::text[], %(kinds)b::text[],
        %(ids)b::bytea[], %(asked)b::bigint[], %(answered)b::bigint[]
    ) AS new (tenant, thread_id, kind, id_sha256, asked, answered)
    ON CONFLICT (tenant, thread_id, kind, id_sha256) DO UPDATE SET
        asked = excluded.asked,
        answered = excluded.answered
)
UPDATE agentlog.counter
SET position = %(position)b, recorded_at = onward.recorded_at
FROM onward
RETURNING onward.chains, pg_notify('agentlog', counter.position::text)
