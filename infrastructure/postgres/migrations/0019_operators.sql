-- The format of a snapshot names the key that sealed it: those from before are of no known key.
TRUNCATE agentlog.snapshots;

-- A scope for what reads metrics and nothing else.
ALTER TABLE agentlog.keys
    DROP CONSTRAINT keys_scopes_check,
    ADD CONSTRAINT keys_scopes_check CHECK (
        cardinality(scopes) > 0
        AND scopes <@ ARRAY['read', 'append', 'redact', 'admin', 'metrics']
    );
