-- Threads with anomalies, for lists of threads that show or filter them: an append to any other thread
-- does not touch this.
CREATE INDEX threads_with_anomalies ON agentlog.threads (tenant, thread_id) WHERE anomalies > 0;
