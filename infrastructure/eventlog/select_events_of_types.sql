-- As select_events, of some types, each named once: events of other types are not read. The index
-- returns those of a type in blocks of 64 versions, up to the end of the block that fills the page.
SELECT thread_id, version, type, body, message_id, position, recorded_at, metadata, cuts,
       redacted, origin_version
FROM unnest(%(types)s::text[]) AS wanted (wanted_type)
CROSS JOIN LATERAL (
    SELECT *
    FROM agentlog.events_in_blocks
    WHERE tenant = %(tenant)s
      AND thread_id = %(thread_id)s
      AND type = wanted_type
      AND block >= %(after)s::bigint >> 6
      AND block <= %(upto)s::bigint >> 6
      AND version > %(after)s
      AND version <= %(upto)s
    ORDER BY block
    FETCH FIRST coalesce(%(limit)s, 9223372036854775807) ROWS WITH TIES
) AS event
ORDER BY version
LIMIT %(limit)s
