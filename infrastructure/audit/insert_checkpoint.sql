-- Concurrent inserts sign the same tree; the first is kept.
INSERT INTO agentlog.checkpoints (tenant, size, position, root, note, public_key)
VALUES (%(tenant)s, %(size)s, %(position)s, %(root)s, %(note)s, %(public_key)s)
ON CONFLICT DO NOTHING
