-- Which of some blobs a tenant's events beyond a position refer to.
SELECT DISTINCT found.digest
FROM agentlog.events
CROSS JOIN LATERAL (
    SELECT substr(cuts, cut * 36 + 5, 32) AS digest
    FROM generate_series(0, length(cuts) / 36 - 1) AS cut
) AS found
WHERE tenant = %(tenant)s
  AND position > %(after)s
  AND cuts IS NOT NULL
  AND found.digest = ANY (%(digests)s::bytea[])
