-- The highest number that an erasure has had in this database.
SELECT greatest(
    (SELECT coalesce(max(number), 0) FROM agentlog.erasures),
    (SELECT coalesce(max(erasures), 0) FROM agentlog.moves)
)
