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
        %(event_tenants)s::text[], %(event_threads)s::text[], %(versions)s::bigint[],
        %(positions)s::bigint[], %(types)s::text[], %(message_ids)s::text[], %(bodies)s::bytea[],
        %(body_digests)s::bytea[], %(chains)s::bytea[], %(metadata)s::bytea[]
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
        %(head_tenants)s::text[], %(head_threads)s::text[], %(head_versions)s::bigint[],
        %(head_positions)s::bigint[], %(head_chains)s::bytea[], %(policies)s::text[],
        %(statuses)s::text[], %(anomalies)s::bigint[], %(parents)s::text[], %(goals)s::text[],
        %(facts)s::bytea[]
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
        %(ledger_tenants)s::text[], %(ledger_threads)s::text[], %(kinds)s::text[],
        %(ids)s::bytea[], %(asked)s::bigint[], %(answered)s::bigint[]
    )
    ON CONFLICT (tenant, thread_id, kind, id_sha256) DO UPDATE SET
        asked = excluded.asked,
        answered = excluded.answered
)
UPDATE agentlog.counter SET position = %(position)s, recorded_at = %(recorded_at)s
