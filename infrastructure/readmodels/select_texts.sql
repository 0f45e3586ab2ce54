-- The beginnings of some texts that were cut out of bodies; NULL for those that come after
-- `most_bytes` of others. Lengths of large texts are known without reading them.
SELECT sha256, CASE WHEN before < %(most_bytes)s THEN substr(content, 1, %(bytes)s) END
FROM (
    SELECT sha256, content,
           sum(least(length(content), %(bytes)s)) OVER (ORDER BY place)
               - least(length(content), %(bytes)s) AS before
    FROM unnest(%(digests)s::bytea[]) WITH ORDINALITY AS wanted (sha256, place)
    JOIN agentlog.blobs USING (sha256)
    WHERE tenant = %(tenant)s AND piece = 0
) AS found
