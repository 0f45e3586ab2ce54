SELECT wanted.sha256, (
    SELECT coalesce(sum(length(content)), 0)::bigint
    FROM agentlog.blobs
    WHERE blobs.tenant = %(tenant)s AND blobs.sha256 = wanted.sha256
)
FROM unnest(%(digests)s::bytea[]) AS wanted (sha256)
