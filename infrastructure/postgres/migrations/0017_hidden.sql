-- Threads that lists, reads, reports and searches leave out: those whose last fact about it is
-- `thread.hidden`. The index is empty as a rule; an append to any other thread does not touch it.
ALTER TABLE agentlog.threads ADD COLUMN hidden boolean NOT NULL DEFAULT false;
CREATE INDEX threads_hidden ON agentlog.threads (tenant, thread_id) WHERE hidden;
