-- Whether some of the snapshots are of this format and of another key.
SELECT EXISTS (
    SELECT
    FROM (SELECT format FROM agentlog.snapshots LIMIT %(most)s) AS looked_at
    WHERE format LIKE %(of_format)s AND format NOT LIKE %(of_key)s
)
