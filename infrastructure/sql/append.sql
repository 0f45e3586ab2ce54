-- One statement, one round trip: events, heads, ledger and counter move together.
-- Parallel arrays, not composites: unnest of those costs several times as much.
WITH appended AS (
    INSERT INTO agentlog.events (
        tenant, thread_id, version, position, type, message_id, recorded_at,
        body, body_sha256, chain, metadata
    )
    SELECT tenant, thread_id, version, position, type, message_id, %(recorded_at)s,
           body, body_sha256, chain, metadata
    FROM unnest(
        %(event_tenants)b::text[], %(event_threads)b::text[], %(versions)b::bigint[],
        %(positions)b::bigint[], %(types)b::text[], %(message_ids)b::text[], %(bodies)b::bytea[],
        %(body_digests)b::bytea[], %(chains)b::bytea[], %(metadata)b::bytea[]
    ) AS new (
        tenant, thread_id, version, position, type, message_id, body, body_sha256, chain, metadata
    )
),
moved AS (
    INSERT INTO agentlog.threads AS head (
        tenant, thread_id, version, position, chain, policy, status, anomalies, parent, goal, facts,
        started_at, updated_at
    )
    SELECT tenant, thread_id, version, position, chain, policy, status, anomalies, parent, goal,
           facts, %(recorded_at)s, %(recorded_at)s
    FROM unnest(
        %(head_tenants)b::text[], %(head_threads)b::text[], %(head_versions)b::bigint[],
        %(head_positions)b::bigint[], %(head_chains)b::bytea[], %(policies)b::text[],
        %(statuses)b::text[], %(anomalies)b::bigint[], %(parents)b::text[], %(goals)b::text[],
        %(facts)b::bytea[]
    ) AS new (
        tenant, thread_id, version, position, chain, policy, status, anomalies, parent, goal, facts
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
        updated_at = excluded.updated_at
),
noted AS (
    INSERT INTO agentlog.ledger (tenant, thread_id, kind, id_sha256, asked, answered)
    SELECT *
    FROM unnest(
        %(ledger_tenants)b::text[], %(ledger_threads)b::text[], %(kinds)b::text[],
        %(ids)b::bytea[], %(asked)b::bigint[], %(answered)b::bigint[]
    )
    ON CONFLICT (tenant, thread_id, kind, id_sha256) DO UPDATE SET
        asked = excluded.asked,
        answered = excluded.answered
)
UPDATE agentlog.counter SET position = %(position)s, recorded_at = %(recorded_at)s
