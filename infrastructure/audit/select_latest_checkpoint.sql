SELECT size, position, root, note, public_key, made_at
FROM agentlog.checkpoints
WHERE tenant = %(tenant)s
ORDER BY size DESC
LIMIT 1
