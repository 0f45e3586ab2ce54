-- Inserts unless there is a later erasure in the thread than `erased`; the caller's lock prevents
-- one meanwhile. Rows are in the order of versions, so that concurrent inserts cannot deadlock.
INSERT INTO agentlog.snapshots (
    tenant, thread_id, view, options, format, version, carry, grown, items
)
SELECT %(tenant)s, %(thread_id)s, %(view)s, %(options)s, %(format)s, version,
       carry, grown, items
FROM unnest(
    %(versions)b::bigint[], %(carries)b::bytea[], %(growths)b::bytea[], %(items)b::bytea[]
) AS new (version, carry, grown, items)
WHERE %(erased)s = (
    SELECT coalesce(max(number), 0)
    FROM agentlog.erasures
    WHERE tenant = %(tenant)s AND thread_id = %(thread_id)s
)
ORDER BY version
ON CONFLICT DO NOTHING
