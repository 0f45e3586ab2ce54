-- What is searched for follows its head by itself, and not at all where nothing can be searched for: to
-- gather all that a statement had moved cost a single append more than its own index entries do.
DROP TRIGGER threads_note_moves ON agentlog.threads;
DROP FUNCTION agentlog.note_moves();

CREATE FUNCTION agentlog.note_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE agentlog.thread_search
    SET position = NEW.position, status = NEW.status
    WHERE tenant = NEW.tenant AND thread_id = NEW.thread_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER threads_note_move AFTER UPDATE OF position, status ON agentlog.threads
    FOR EACH ROW WHEN (NEW.facts IS NOT NULL) EXECUTE FUNCTION agentlog.note_move();
