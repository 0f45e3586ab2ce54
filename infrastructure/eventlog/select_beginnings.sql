-- The beginnings of some contents that were cut out of bodies, and the sizes of the whole.
SELECT sha256, substr(content, 1, %(bytes)s),
       (
           SELECT sum(length(piece.content))::bigint
           FROM agentlog.blobs AS piece
           WHERE piece.tenant = blobs.tenant AND piece.sha256 = blobs.sha256
       )
FROM agentlog.blobs
WHERE tenant = %(tenant)s AND sha256 = ANY (%(digests)s::bytea[]) AND piece = 0
