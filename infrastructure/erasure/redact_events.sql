SELECT agentlog.redact_events(
    %(tenant)s, %(thread_id)s, %(version)s,
    %(versions)b::bigint[], %(bodies)b::bytea[], %(cuts)b::bytea[], %(metadata)b::bytea[]
)
