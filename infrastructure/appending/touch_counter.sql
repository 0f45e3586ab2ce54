-- Writes what each append writes, and changes nothing; no row if an append is under way.
UPDATE agentlog.counter
SET position = position
WHERE ctid = (SELECT ctid FROM agentlog.counter FOR UPDATE SKIP LOCKED)
