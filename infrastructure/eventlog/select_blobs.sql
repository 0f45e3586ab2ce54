-- One index look-up for each content, its pieces in order.
SELECT blob.sha256, blob.piece, blob.content
FROM unnest(%(digests)s::bytea[]) AS wanted (sha256)
CROSS JOIN LATERAL (
    SELECT sha256, piece, content
    FROM agentlog.blobs
    WHERE blobs.tenant = %(tenant)s AND blobs.sha256 = wanted.sha256
    ORDER BY piece
    OFFSET 0
) AS blob
