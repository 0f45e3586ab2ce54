SELECT size, position, root, note, public_key, made_at
FROM agentlog.checkpoints
WHERE tenant = %(tenant)s AND size > %(after)s AND size <= %(upto)s
ORDER BY size
LIMIT %(limit)s
