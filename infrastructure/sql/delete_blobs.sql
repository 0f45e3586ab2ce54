DELETE FROM agentlog.blobs WHERE tenant = %(tenant)s AND sha256 = ANY (%(digests)s::bytea[])
