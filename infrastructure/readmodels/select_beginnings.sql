-- The beginnings of some texts that were cut out of bodies.
SELECT sha256, substr(content, 1, %(bytes)s)
FROM agentlog.blobs
WHERE tenant = %(tenant)s AND sha256 = ANY (%(digests)s::bytea[]) AND piece = 0
