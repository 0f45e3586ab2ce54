-- In the order of versions, so that two that keep the same ones wait for each other, never both.
INSERT INTO agentlog.snapshots (
    tenant, thread_id, view, options, format, version, chain, carry, grown
)
SELECT %(tenant)s, %(thread_id)s, %(view)s, %(options)s, %(format)s, version,
       (
           SELECT events.chain
           FROM agentlog.events
           WHERE events.tenant = %(tenant)s
             AND events.thread_id = %(thread_id)s
             AND events.version = new.version
       ),
       carry, grown
FROM unnest(
    %(versions)b::bigint[], %(carries)b::bytea[], %(growths)b::bytea[]
) AS new (version, carry, grown)
ORDER BY version
ON CONFLICT DO NOTHING
